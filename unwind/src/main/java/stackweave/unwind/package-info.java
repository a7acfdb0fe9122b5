/**
 * Finds a frame's caller: from a pc to an unwind rule, and from a frame's registers and a rule to
 * the registers of its caller.
 *
 * <p>It reads {@code .sframe}, {@code .eh_frame} and {@code .debug_frame} of x86-64, AArch64 and
 * s390x out of buffers that the caller has, keeps each distinct rule once ({@link
 * stackweave.unwind.rule.RuleTable}), and applies them to registers and memory that the caller has,
 * live or recorded ({@link stackweave.unwind.walk.NativeUnwinder}).
 *
 * <p>It opens no file, starts no thread, and reads the memory of a process through {@link
 * stackweave.unwind.MemoryReader} only. It knows nothing of ELF files, of names, or of the frames
 * of a virtual machine, nor of code without unwind information.
 *
 * <p>In all packages of this library addresses are unsigned 64-bit numbers in a {@code long}, sizes
 * and offsets are in bytes, and registers have their DWARF numbers, from 0 to below {@link
 * stackweave.unwind.Architecture#registerCount}. No argument may be null unless that is said; a
 * number out of its range is an {@link IndexOutOfBoundsException}, or the result means nothing.
 * What sections and memory contain may be anything: it ends in a {@link
 * stackweave.unwind.section.MalformedSectionException}, an {@link
 * stackweave.unwind.UnreadableMemoryException}, or as the end of the stack. Enums, records and
 * exceptions are immutable, methods without an object have no state; all else belongs to one thread
 * at a time unless it says otherwise.
 *
 * <p>A stack of two frames, whose code saves the frame pointer at once:
 *
 * <pre>{@code
 * Architecture x86 = Architecture.X86_64;
 * RuleTable rules = new RuleTable(x86);
 * RuleBuilder rule = new RuleBuilder(x86);
 * rule.setCfa(x86.fp(), 16);
 * rule.ra = Location.atCfa(-8);
 * rule.setFp(Location.atCfa(-16));
 * int framed = rules.intern(rule);
 * ModuleList modules = new ModuleList().add(0x1000, 0x2000, 0, address -> framed);
 *
 * ByteBuffer stack = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
 * stack.putLong(0, 0x8100).putLong(8, 0x1234); // the caller's frame pointer, and its pc
 * RecordedMemory memory = new RecordedMemory(ByteOrder.LITTLE_ENDIAN).add(0x8000, stack);
 * Registers registers = new Registers(x86);
 * registers.setPc(0x1100);
 * registers.set(x86.sp(), 0x7ff0);
 * registers.set(x86.fp(), 0x8000);
 *
 * NativeUnwinder unwinder = new NativeUnwinder(rules);
 * StopReason end = unwinder.walk(registers, memory, modules, 10,
 *     (frame, interrupted) -> System.out.println(Long.toHexString(frame.pc())));
 * System.out.println(end.label());
 * }</pre>
 */
package stackweave.unwind;
