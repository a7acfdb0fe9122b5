package stackweave.unwind.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.sframe.Corpus;

/** PLT code of a real AArch64 library, for which linkers write no rows. */
class Aarch64PltTest {
  private static final long SP = 0x7fff_0000L;
  private static final long CALLER = 0x1234;
  private static final int PUSH = 0xa9bf_7bf0;
  private static final int BRANCH = 0xd61f_0220;
  private static final int NOP = 0xd503_201f;

  @Test
  void everyInstructionLeadsToTheCaller() throws IOException {
    Elf elf = Elf.read(Corpus.builtIn().resolve("aarch64-v3/so-pacplt.elf"));
    Elf.Header plt = elf.header(".plt");
    NativeUnwinder unwinder = new NativeUnwinder(new RuleTable(Architecture.AARCH64));
    LiveTraceTest.Modules modules = new LiveTraceTest.Modules();
    modules.add(elf, elf.unwindSections(), 0, unwinder.rules());
    List<String> wrong = new ArrayList<>();
    boolean pushed = false;
    int compared = 0;
    for (long pc = plt.address(); pc < plt.address() + plt.size(); pc += 4) {
      int instruction = instruction(elf, plt, pc);
      if (instruction == NOP && !between(elf, plt, pc)) {
        continue; // padding
      }
      compared++;
      Registers registers = new Registers(Architecture.AARCH64);
      for (int i = 0; i <= 31; i++) {
        registers.set(i, 0x9900 + i);
      }
      // Behind the push, x30 was saved and is free: only the stack has the return address.
      registers.set(30, pushed ? 0x9999 : CALLER);
      registers.set(31, pushed ? SP - 16 : SP);
      registers.setPc(pc);
      StopReason stop = unwinder.step(registers, true, memory(elf, plt), modules);
      if (stop != null || registers.pc() != CALLER || registers.sp() != SP) {
        wrong.add(Long.toHexString(pc) + ": " + stop + " " + Long.toHexString(registers.pc()));
      }
      if (instruction == PUSH) {
        pushed = true;
      } else if (instruction == BRANCH) {
        pushed = false;
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(compared > 12, compared + " instructions");
  }

  /** Whether the instruction after next is still of the same entry. */
  private static boolean between(Elf elf, Elf.Header plt, long pc) {
    return pc + 8 < plt.address() + plt.size() && instruction(elf, plt, pc + 8) == BRANCH;
  }

  private static int instruction(Elf elf, Elf.Header plt, long pc) {
    return elf.bytes
        .duplicate()
        .order(ByteOrder.LITTLE_ENDIAN)
        .getInt((int) (plt.offset() + pc - plt.address()));
  }

  private static MemoryReader memory(Elf elf, Elf.Header plt) {
    return new MemoryReader() {
      @Override
      public long readLong(long address) throws UnreadableMemoryException {
        if (address == SP - 8) {
          return CALLER;
        }
        long at = plt.offset() + address - plt.address();
        if (at < 0 || at + 8 > elf.bytes.limit()) {
          throw UnreadableMemoryException.UNREADABLE;
        }
        return elf.bytes.getLong((int) at);
      }

      @Override
      public void read(long address, byte[] target, int offset, int length)
          throws UnreadableMemoryException {
        long at = plt.offset() + address - plt.address();
        if (at < 0 || at + length > elf.bytes.limit()) {
          throw UnreadableMemoryException.UNREADABLE;
        }
        elf.bytes.get((int) at, target, offset, length);
      }
    };
  }
}
