package stackweave.unwind.walk;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.snapshot.StackSnapshot;

/** The rules of a step: one rule, one memory, one end each. */
class NativeUnwinderTest {
  private static final long PC = 0x40_1000;
  private static final long SP = 0x7fff_0000L;
  private static final int RSP = 7;
  private static final int RBP = 6;
  private static final int RBX = 3;
  private static final int RDX = 1;
  private static final int RDI = 5;
  private static final int R8 = 8;
  private static final int R9 = 9;

  private final Map<Long, Long> memory = new HashMap<>();
  private final MemoryReader reader =
      new MemoryReader() {
        @Override
        public long readLong(long address) throws UnreadableMemoryException {
          Long word = memory.get(address);
          if (word == null) {
            throw UnreadableMemoryException.UNREADABLE;
          }
          return word;
        }

        @Override
        public void read(long address, byte[] target, int offset, int length)
            throws UnreadableMemoryException {
          throw UnreadableMemoryException.UNREADABLE;
        }
      };

  private int generation;
  private long lastLookup;
  private int lookups;

  /** One module at bias 0x400000 whose every address has the same rule. */
  private CodeModules modules(int rule) {
    UnwindTable table =
        address -> {
          lastLookup = address;
          lookups++;
          return rule;
        };
    CodeModule module =
        new CodeModule() {
          @Override
          public long bias() {
            return 0x40_0000;
          }

          @Override
          public UnwindTable unwindTable() {
            return table;
          }
        };
    return new CodeModules() {
      @Override
      public int generation() {
        return generation;
      }

      @Override
      public CodeModule find(long pc) {
        return pc >= 0x40_0000 && pc < 0x50_0000 ? module : null;
      }
    };
  }

  private static int rule(RuleTable rules, Consumer<RuleBuilder> says) {
    RuleBuilder rule = new RuleBuilder(rules.architecture());
    says.accept(rule);
    return rules.intern(rule);
  }

  private static RuleTable x86() {
    return new RuleTable(Architecture.X86_64);
  }

  private static Registers x86Registers() {
    Registers registers = new Registers(Architecture.X86_64);
    for (int i = 0; i < 16; i++) {
      registers.set(i, 0x1000 + i);
    }
    registers.set(RSP, SP);
    registers.setPc(PC);
    return registers;
  }

  @Test
  void aCallerThatCanBeNoneCountsAsNotSaid() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 16);
              r.ra = Location.atCfa(-8);
            });
    memory.put(SP + 8, 0x40_2222L);
    NativeUnwinder unwinder = new NativeUnwinder(rules);
    Registers registers = x86Registers();
    unwinder.checkCallers(pc -> pc != 0x40_2222L);
    assertEquals(StopReason.NO_RULE, unwinder.step(registers, true, reader, modules(rule)));
    assertEquals(PC, registers.pc());
    assertEquals(SP, registers.sp());
    memory.put(SP + 8, 0x40_3333L);
    assertNull(unwinder.step(registers, true, reader, modules(rule)));
    assertEquals(0x40_3333L, registers.pc());
  }

  @Test
  void ordinaryFrameKeepsWhatTheFunctionHandsBack() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 32);
              r.ra = Location.atCfa(-8);
              r.setFp(Location.atCfa(-16));
            });
    memory.put(SP + 24, 0x40_2222L);
    memory.put(SP + 16, 0xb0bL);
    NativeUnwinder unwinder = new NativeUnwinder(rules);
    Registers registers = x86Registers();

    assertNull(unwinder.step(registers, true, reader, modules(rule)));

    assertEquals(PC - 0x40_0000, lastLookup);
    assertEquals(0x40_2222L, registers.pc());
    assertEquals(SP + 32, registers.sp());
    assertEquals(0xb0bL, registers.fp());
    assertEquals(0x1000 + RBX, registers.get(RBX));
    assertFalse(registers.isKnown(0), "rax is lost in a call");
    assertFalse(registers.isKnown(11), "r11 is lost in a call");
    assertFalse(unwinder.callerInterrupted());
  }

  @Test
  void returnAddressIsLookedUpAtTheCall() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 8);
              r.ra = Location.atCfa(-8);
            });
    memory.put(SP, 0x40_2222L);

    assertNull(new NativeUnwinder(rules).step(x86Registers(), false, reader, modules(rule)));

    assertEquals(PC - 1 - 0x40_0000, lastLookup);
  }

  @Test
  void everyEndHasItsReasonAndLeavesTheRegisters() {
    RuleTable rules = x86();
    int leaf =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 8);
              r.ra = Location.atCfa(-8);
            });
    int backwards =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, -16);
              r.ra = Location.atCfa(-8);
            });
    int byRax =
        rule(
            rules,
            r -> {
              r.setCfa(0, 8);
              r.ra = Location.atCfa(-8);
            });
    int noRa = rule(rules, r -> r.setCfa(RSP, 8));
    int undefined = rule(rules, r -> r.ra = Location.of(Location.UNDEFINED));

    assertEnd(StopReason.UNREADABLE_MEMORY, rules, leaf, r -> {});
    memory.put(SP, 0L);
    assertEnd(StopReason.NULL_RETURN_ADDRESS, rules, leaf, r -> {});
    memory.put(SP - 24, 0x40_2222L);
    assertEnd(StopReason.NOT_ADVANCING, rules, backwards, r -> {});
    assertEnd(StopReason.UNKNOWN_REGISTER, rules, byRax, r -> r.forget(0));
    assertEnd(StopReason.UNSUPPORTED_RULE, rules, noRa, r -> {});
    assertEnd(StopReason.COMPLETE, rules, undefined, r -> {});
    assertEnd(StopReason.NO_RULE, rules, UnwindTable.NO_RULE, r -> {});
    assertEnd(StopReason.NO_MODULE, rules, leaf, r -> r.setPc(0x1234));
  }

  /** The end of the address space is no caller. */
  @Test
  void cfaDoesNotWrapAround() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 32);
              r.ra = Location.atCfa(-8);
            });
    memory.put(8L, 0x40_2222L);
    Registers registers = x86Registers();
    registers.set(RSP, -16L);
    NativeUnwinder unwinder = new NativeUnwinder(rules);
    assertEquals(StopReason.NOT_ADVANCING, unwinder.step(registers, true, reader, modules(rule)));
  }

  /** Four frames of 16 bytes each, the third one of a signal; then memory ends. */
  @Test
  void walkVisitsEachFrame() {
    RuleTable rules = x86();
    int plain =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 16);
              r.ra = Location.atCfa(-8);
            });
    int signal =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 16);
              r.ra = Location.atCfa(-8);
              r.signal = true;
            });
    UnwindTable table = address -> address == 0x2fff ? signal : plain;
    ModuleList modules = new ModuleList().add(0x40_0000, 0x50_0000, 0x40_0000, table);
    memory.put(SP + 8, 0x40_2000L);
    memory.put(SP + 24, 0x40_3000L);
    memory.put(SP + 40, 0x40_4000L);
    List<String> all = List.of("401000 true", "402000 false", "403000 false", "404000 true");
    for (int most = 1; most <= 5; most++) {
      List<String> visited = new ArrayList<>();
      StopReason stop =
          new NativeUnwinder(rules)
              .walk(
                  x86Registers(),
                  reader,
                  modules,
                  most,
                  (frame, interrupted) ->
                      visited.add(Long.toHexString(frame.pc()) + " " + interrupted));
      assertEquals(all.subList(0, Math.min(most, 4)), visited);
      assertEquals(most < 4 ? StopReason.TOO_DEEP : StopReason.UNREADABLE_MEMORY, stop);
    }
  }

  private void assertEnd(StopReason reason, RuleTable rules, int rule, Consumer<Registers> change) {
    Registers registers = x86Registers();
    change.accept(registers);
    long pc = registers.pc();
    assertEquals(reason, new NativeUnwinder(rules).step(registers, true, reader, modules(rule)));
    assertEquals(pc, registers.pc());
    assertEquals(SP, registers.sp());
  }

  /** A leaf function keeps rbp in the red zone: gdb reads it there, too. */
  @Test
  void saveInTheRedZoneIsReadWhereItIsValid() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 8);
              r.ra = Location.atCfa(-8);
              r.setFp(Location.atCfa(-16));
            });
    memory.put(SP, 0x40_2222L);
    Registers registers = x86Registers();
    registers.set(RBP, 0x77);
    NativeUnwinder unwinder = new NativeUnwinder(rules);

    // Not readable: as likely, an epilogue has popped the slot.
    assertNull(unwinder.step(registers, true, reader, modules(rule)));
    assertTrue(registers.isKnown(RBP));
    assertEquals(0x77, registers.fp());

    memory.put(SP - 8, 0xb0bL);
    registers = x86Registers();
    registers.set(RBP, 0x77);
    assertNull(unwinder.step(registers, true, reader, modules(rule)));
    assertEquals(0xb0bL, registers.fp());

    // What waits for a call has no red zone.
    registers = x86Registers();
    registers.set(RBP, 0x77);
    assertNull(unwinder.step(registers, false, reader, modules(rule)));
    assertTrue(registers.isKnown(RBP));
    assertEquals(0x77, registers.fp());

    // Nor is there one more than 128 bytes below sp.
    int deep =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 8);
              r.ra = Location.atCfa(-8);
              r.setFp(Location.atCfa(-144));
            });
    memory.put(SP - 136, 0xbadL);
    generation++;
    registers = x86Registers();
    registers.set(RBP, 0x77);
    assertNull(unwinder.step(registers, true, reader, modules(deep)));
    assertTrue(registers.isKnown(RBP));
    assertEquals(0x77, registers.fp());
  }

  /** libffi sets rsp above the slots from which it restores registers then, rbp last. */
  @Test
  void registerThatTheCfaIsComputedFromIsNotRestoredYet() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RBP, 32);
              r.ra = Location.atCfa(-8);
              r.setFp(Location.atCfa(-16));
            });
    memory.put(SP, 0x40_2222L);
    Registers registers = x86Registers();
    registers.set(RBP, SP - 24);
    assertNull(new NativeUnwinder(rules).step(registers, true, reader, modules(rule)));
    assertEquals(0x40_2222L, registers.pc());
    assertEquals(SP + 8, registers.sp());
    assertFalse(registers.isKnown(RBP));
  }

  /** longjmp has loaded the caller's registers from its buffer, which is the CFA. */
  @Test
  void stackPointerElsewhereIsNotExpressible() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RDI, 0);
              r.ra = Location.of(Location.REGISTER_PLUS, RDX, 0);
              r.set(RSP, 16, Location.of(Location.REGISTER_PLUS, R8, 0));
            });
    Registers registers = x86Registers();
    assertEquals(
        StopReason.UNSUPPORTED_RULE,
        new NativeUnwinder(rules).step(registers, true, reader, modules(rule)));
    assertEquals(Unsupported.STACK_POINTER, rules.unsupported(rule));
  }

  /** An expression that computes the slot of a register that has its caller's value again. */
  @Test
  void registerThatCanNotBeReadIsNotKnown() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 8);
              r.ra = Location.atCfa(-8);
              r.set(RBX, 16, Location.of(Location.AT_REGISTER, RBP, -16));
            });
    memory.put(SP, 0x40_2222L);
    Registers registers = x86Registers();
    registers.set(RBP, 1);
    assertNull(new NativeUnwinder(rules).step(registers, true, reader, modules(rule)));
    assertEquals(0x40_2222L, registers.pc());
    assertFalse(registers.isKnown(RBX));
  }

  /** What lies below sp there is nobody's, readable or not. */
  @ParameterizedTest
  @EnumSource(names = {"AARCH64", "S390X"})
  void otherProcessorsHaveNoRedZone(Architecture architecture) {
    RuleTable rules = new RuleTable(architecture);
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(architecture.sp(), 16 + architecture.spBelowCfa());
              r.ra = Location.atCfa(-8 - architecture.spBelowCfa());
              r.setFp(Location.atCfa(-24 - architecture.spBelowCfa()));
            });
    memory.put(SP + 8, 0x40_2222L);
    memory.put(SP - 8, 0xbadL);
    Registers registers = new Registers(architecture);
    registers.setPc(PC);
    registers.set(architecture.sp(), SP);
    registers.set(architecture.fp(), 0x77);
    assertNull(new NativeUnwinder(rules).step(registers, true, reader, modules(rule)));
    assertEquals(0x40_2222L, registers.pc());
    assertTrue(registers.isKnown(architecture.fp()));
    assertEquals(0x77, registers.fp());
  }

  /** What is below the copy has changed since; live memory does not say what it was. */
  @Test
  void redZoneIsNotReadFromLiveMemory() {
    StackSnapshot snapshot = new StackSnapshot(Architecture.X86_64);
    snapshot.setStack(SP, 128);
    snapshot.setElsewhere(reader);
    memory.put(SP - 8, 0xbadL);
    memory.put(SP - 136, 0x900dL);
    assertThrows(UnreadableMemoryException.class, () -> snapshot.readLong(SP - 8));
    assertDoesNotThrow(() -> assertEquals(0x900dL, snapshot.readLong(SP - 136)));
  }

  @Test
  void snapshotHasTheByteOrderOfItsProcess() throws Exception {
    for (Architecture architecture : Architecture.values()) {
      for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
        StackSnapshot snapshot = new StackSnapshot(architecture, order, 64);
        assertEquals(order, snapshot.byteOrder());
        ByteBuffer.wrap(snapshot.stackBytes()).order(order).putLong(8, 0x1122_3344_5566_7788L);
        snapshot.setStack(SP, 64);
        assertEquals(0x1122_3344_5566_7788L, snapshot.readLong(SP + 8));
      }
    }
    assertEquals(ByteOrder.BIG_ENDIAN, new StackSnapshot(Architecture.S390X).byteOrder());
  }

  /** A signal frame that is not the kernel's: on a lower stack, and its caller's pc is exact. */
  @Test
  void signalRowLeadsWhereItSays() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfaAt(RSP, 64, 0);
              r.ra = Location.of(Location.AT_REGISTER, RSP, 72);
              r.setFp(Location.of(Location.AT_REGISTER, RSP, 80));
              r.signal = true;
            });
    memory.put(SP + 64, SP - 0x1000);
    memory.put(SP + 72, 0x40_2222L);
    memory.put(SP + 80, 0xb0bL);
    NativeUnwinder unwinder = new NativeUnwinder(rules);
    Registers registers = x86Registers();

    assertNull(unwinder.step(registers, false, reader, modules(rule)));

    assertEquals(SP - 0x1000, registers.sp());
    assertEquals(0x40_2222L, registers.pc());
    assertEquals(0xb0bL, registers.fp());
    assertTrue(unwinder.callerInterrupted());
  }

  /** The same rows on the code of the trampoline: the ucontext has more than the rows say. */
  @Test
  void trampolineIsKnownByItsCode() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 64);
              r.ra = Location.atCfa(-8);
              r.signal = true;
            });
    MemoryReader withCode = trampolineAtPc();
    Registers registers = x86Registers();

    assertNull(new NativeUnwinder(rules).step(registers, false, withCode, modules(rule)));

    assertEquals(0x5000 + 168 / 8, registers.pc());
    assertEquals(0x5000 + 160 / 8, registers.sp());
    assertEquals(0x5000 + 144 / 8, registers.get(0), "rax is in the ucontext only");
  }

  /** A trampoline's code at {@link #PC}, and words from sp on that have their number in them. */
  private MemoryReader trampolineAtPc() {
    byte[] code = new byte[128];
    byte[] sigreturn = {0x48, (byte) 0xc7, (byte) 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
    System.arraycopy(sigreturn, 0, code, 64, sigreturn.length);
    for (int i = 0; i < 32; i++) {
      memory.put(SP + 8 * i, 0x5000L + i);
    }
    return new MemoryReader() {
      @Override
      public long readLong(long address) throws UnreadableMemoryException {
        return reader.readLong(address);
      }

      @Override
      public void read(long address, byte[] target, int offset, int length)
          throws UnreadableMemoryException {
        long at = address - (PC - 64);
        if (at < 0 || at + length > code.length) {
          throw UnreadableMemoryException.UNREADABLE;
        }
        System.arraycopy(code, (int) at, target, offset, length);
      }
    };
  }

  /** The rows say nothing of a signal: they are doubted only where a trampoline can't be marked. */
  @Test
  void unmarkedTrampolineIsLookedForWhereItCannotBeMarked() {
    for (boolean marked : new boolean[] {false, true}) {
      RuleTable rules = x86();
      int rule =
          rule(
              rules,
              r -> {
                r.setCfa(RSP, 64);
                r.ra = Location.atCfa(-8);
              });
      UnwindTable table =
          new UnwindTable() {
            @Override
            public int find(long address) {
              return rule;
            }

            @Override
            public boolean marksSignalFrames(long address) {
              return marked == (address == PC - 0x40_0000);
            }
          };
      ModuleList modules = new ModuleList().add(0x40_0000, 0x50_0000, 0x40_0000, table);
      MemoryReader withCode = trampolineAtPc();
      Registers registers = x86Registers();
      assertNull(new NativeUnwinder(rules).step(registers, true, withCode, modules));
      assertEquals(0x5000 + (marked ? 56 : 168) / 8, registers.pc());
    }
  }

  @Test
  void stackThatWasNotCopiedIsTruncated() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 256);
              r.ra = Location.atCfa(-8);
            });
    StackSnapshot snapshot = new StackSnapshot(Architecture.X86_64);
    snapshot.setStack(SP, 128);

    assertEquals(
        StopReason.TRUNCATED,
        new NativeUnwinder(rules).step(x86Registers(), true, snapshot, modules(rule)));
  }

  @Test
  void linkRegisterCountsOnlyWhereTheFrameWasInterrupted() {
    RuleTable rules = new RuleTable(Architecture.AARCH64);
    int rule = rule(rules, r -> r.setCfa(31, 0));
    Registers registers = new Registers(Architecture.AARCH64);
    registers.setPc(PC);
    registers.set(31, SP);
    registers.set(30, 0x40_2222L);
    NativeUnwinder unwinder = new NativeUnwinder(rules);

    assertEquals(StopReason.NOT_ADVANCING, unwinder.step(registers, false, reader, modules(rule)));
    assertNull(unwinder.step(registers, true, reader, modules(rule)));
    assertEquals(0x40_2222L, registers.pc());
    assertEquals(SP, registers.sp());
    assertFalse(registers.isKnown(30));
  }

  @Test
  void signedReturnAddressIsStripped() {
    RuleTable rules = new RuleTable(Architecture.AARCH64);
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(31, 16);
              r.ra = Location.atCfa(-8);
              r.mangled = true;
            });
    Registers registers = new Registers(Architecture.AARCH64);
    registers.setPc(PC);
    registers.set(31, SP);
    memory.put(SP + 8, 0x0025_ffff_8040_2222L);

    assertNull(new NativeUnwinder(rules).step(registers, true, reader, modules(rule)));
    assertEquals(0xffff_8040_2222L, registers.pc());
  }

  @Test
  void memoryPointedToByTheStackGivesTheCfa() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfaAt(RBP, -8, 16);
              r.ra = Location.atCfa(-8);
            });
    Registers registers = x86Registers();
    registers.set(RBP, SP + 64);
    memory.put(SP + 56, SP + 0x100);
    memory.put(SP + 0x108, 0x40_2222L);

    assertNull(new NativeUnwinder(rules).step(registers, true, reader, modules(rule)));
    assertEquals(SP + 0x110, registers.sp());
    assertEquals(0x40_2222L, registers.pc());
  }

  @Test
  void rulesAreRememberedUntilTheModulesChange() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 8);
              r.ra = Location.atCfa(-8);
            });
    memory.put(SP, 0x40_2222L);
    NativeUnwinder unwinder = new NativeUnwinder(rules);
    CodeModules modules = modules(rule);
    for (int i = 0; i < 5; i++) {
      assertNull(unwinder.step(x86Registers(), true, reader, modules));
    }
    assertEquals(1, lookups);
    generation++;
    assertNull(unwinder.step(x86Registers(), true, reader, modules));
    assertEquals(2, lookups);
  }

  @Test
  void aWarmStepAllocatesNothing() {
    RuleTable rules = x86();
    int rule =
        rule(
            rules,
            r -> {
              r.setCfa(RSP, 8);
              r.ra = Location.atCfa(-8);
              r.setFp(Location.atCfa(-8));
            });
    StackSnapshot snapshot = new StackSnapshot(Architecture.X86_64);
    snapshot.setStack(SP, 4096);
    snapshot.stackBytes()[1] = 0x10;
    snapshot.stackBytes()[2] = 0x40;
    NativeUnwinder unwinder = new NativeUnwinder(rules);
    CodeModules modules = modules(rule);
    Registers start = x86Registers();
    Registers registers = x86Registers();
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = 0;
    for (int round = 0; round < 3; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 10_000; i++) {
        registers.copyFrom(start);
        unwinder.step(registers, true, snapshot, modules);
      }
      allocated = threads.getCurrentThreadAllocatedBytes() - before;
    }
    assertEquals(0x40_1000L, registers.pc());
    assertTrue(allocated < 10_000, allocated + " bytes in 10,000 steps");
  }
}
