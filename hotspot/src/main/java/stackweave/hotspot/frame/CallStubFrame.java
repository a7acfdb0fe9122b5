package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves the stub through which the VM calls Java, and restores the callee-saved registers of the
 * C++ code around it: the native frames further out need them.
 */
public final class CallStubFrame implements HotSpotFrame {
  private final int nameId;
  private final long[] values;

  /** The blob holds dozens of stubs; this one is under every Java frame, and so is named. */
  public CallStubFrame(HotSpotMethods names, Cpu cpu) {
    values = new long[cpu.slots.callStubRegisters().length];
    nameId = names.intern(new HotSpotMethod("", "call_stub", "", 0, ""));
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry, nameId);
    if (full != null) {
      return full;
    }
    if (!walk.isFpKnown()) {
      return StopReason.UNKNOWN_REGISTER;
    }
    long fp = walk.fp();
    if (!walk.isOnStack(fp)) {
      return StopReason.BAD_STUB_FRAME;
    }
    int[] saved = walk.cpu().slots.callStubRegisters();
    int[] slots = walk.cpu().slots.callStubSlots();
    for (int i = 0; i < saved.length; i++) {
      values[i] = walk.read(fp + slots[i]);
    }
    walk.toCaller(
        walk.readReturnAddress(fp + Cpu.RETURN_ADDRESS),
        fp + Cpu.FRAME_LINK_BYTES,
        walk.read(fp + Cpu.SAVED_FP));
    Registers registers = walk.registers();
    for (int i = 0; i < saved.length; i++) {
      registers.set(saved[i], values[i]);
    }
    return null;
  }
}
