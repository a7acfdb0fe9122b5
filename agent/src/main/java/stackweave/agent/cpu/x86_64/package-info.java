/**
 * What the agent knows of x86-64: system calls, files, registers in samples, the signal handler.
 */
package stackweave.agent.cpu.x86_64;
