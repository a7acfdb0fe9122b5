/**
 * What the agent knows of AArch64: system calls, files, registers in samples, the signal handler.
 */
package stackweave.cpu.aarch64;
