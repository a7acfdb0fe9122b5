/**
 * The interface to the operating system: libc functions through JNA, system call numbers, native
 * buffers, fault-safe reads of the own memory, and the list of tasks.
 */
package stackweave.linux;
