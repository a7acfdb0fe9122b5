/**
 * What the agent must know of each processor: its system calls, files, and registers in samples.
 */
package stackweave.cpu;
