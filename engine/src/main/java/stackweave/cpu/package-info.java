/** What the agent must know of each processor, in a package each. */
package stackweave.cpu;
