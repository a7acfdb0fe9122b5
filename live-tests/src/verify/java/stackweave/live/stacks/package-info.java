/** Stacks are complete and true, by symbols, gdb, single steps and bytecode. */
package stackweave.live.stacks;
