/**
 * From a pc to its caller: rows of .sframe and .eh_frame as one small rule model, and the step that
 * applies a rule to registers and memory.
 *
 * <p>The way of the data: {@link stackweave.unwind.snapshot.StackSnapshot} (registers and a copy of
 * the stack) → {@link stackweave.unwind.walk.CodeModules} finds the module of a pc → its {@link
 * stackweave.unwind.rule.UnwindTable} gives a rule → the architecture applies it. Nothing here
 * opens a file, starts a thread or touches memory other than through {@link
 * stackweave.unwind.MemoryReader}.
 */
package stackweave.unwind;
