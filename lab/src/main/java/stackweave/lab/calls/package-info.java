/** Timed native calls beside other agents, and what they cost a JVM's start. */
package stackweave.lab.calls;
