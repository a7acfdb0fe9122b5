/**
 * Finds a pc's caller: rows of .sframe and .eh_frame as one rule model, and the step that applies a
 * rule to registers and memory. Nothing here opens a file, starts a thread or reads process memory
 * other than through {@link stackweave.unwind.MemoryReader}.
 */
package stackweave.unwind;
