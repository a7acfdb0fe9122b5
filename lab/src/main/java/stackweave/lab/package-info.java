/** The agent under real work and under all that could hurt it; no part of the agent. */
package stackweave.lab;
