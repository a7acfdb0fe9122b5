package stackweave.hotspot.search;

import stackweave.hotspot.cpu.CodePatterns;
import stackweave.hotspot.frame.Walk;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.walk.CodeModule;

/** Which native functions call which, as their code says. Reused; not thread-safe. */
final class NativeCalls {
  private static final int MAX_CALL_BYTES = 16;

  private final byte[] code = new byte[MAX_CALL_BYTES];
  private final byte[] stub = new byte[CodePatterns.LINKAGE_STUB_BYTES];

  /** Where the function begins that has the code at an address; 0 if that is not known. */
  static long functionStart(Walk walk, long address) {
    CodeModule module = walk.modules().find(address);
    if (module == null) {
      return 0;
    }
    long start = module.unwindTable().functionStart(address - module.bias());
    return start == UnwindTable.NO_ADDRESS ? module.functionStart(address) : start + module.bias();
  }

  /** Where the call before a return address leads to; 0 if unknown, as that of a pointer is. */
  long target(Walk walk, long pc) {
    int length = walk.cpu().code.lengths.knownCall();
    try {
      walk.stack().code().read(pc - length, code, 0, length);
    } catch (UnreadableMemoryException e) {
      return 0;
    }
    return walk.cpu().code.callTarget(code, length, pc);
  }

  /** As {@link #target}, behind the stub of a linkage table. */
  long function(Walk walk, long pc) {
    long target = target(walk, pc);
    if (target == 0) {
      return 0;
    }
    MemoryReader memory = walk.stack().code();
    try {
      memory.read(target, stub, 0, stub.length);
      long slot = walk.cpu().code.linkageSlot(stub, target);
      return slot == 0 ? target : memory.readLong(slot);
    } catch (UnreadableMemoryException e) {
      return target; // no code is so close to the end of its memory that a stub has no room
    }
  }
}
