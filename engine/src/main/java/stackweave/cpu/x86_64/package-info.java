/**
 * What the agent knows of x86-64: system calls, files, registers in samples, the signal handler.
 */
package stackweave.cpu.x86_64;
