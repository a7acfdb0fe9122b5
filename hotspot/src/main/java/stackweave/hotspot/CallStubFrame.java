package stackweave.hotspot;

import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The stub through which the VM calls Java: it saves the callee-saved registers of the C++ code
 * around it, which the native frames further out need.
 */
final class CallStubFrame implements HotSpotFrame {
  private final int nameId;

  /** The blob holds dozens of stubs; this one is under every Java frame, and so is named. */
  CallStubFrame(HotSpotMethods names) {
    nameId = names.intern(new HotSpotMethod("", "call_stub", "", 0, ""));
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry, nameId);
    if (full != null) {
      return full;
    }
    if (!walk.registers().isKnown(X86.RBP)) {
      return StopReason.UNKNOWN_REGISTER;
    }
    long fp = walk.valueOf(X86.RBP);
    if (!walk.isOnStack(fp)) {
      return StopReason.BAD_STUB_FRAME;
    }
    long rbx = walk.read(fp + X86.CALL_STUB_RBX);
    long r12 = walk.read(fp + X86.CALL_STUB_R12);
    long r13 = walk.read(fp + X86.CALL_STUB_R13);
    long r14 = walk.read(fp + X86.CALL_STUB_R14);
    long r15 = walk.read(fp + X86.CALL_STUB_R15);
    walk.toCaller(
        walk.read(fp + X86.RETURN_ADDRESS),
        fp + X86.FRAME_LINK_BYTES,
        walk.read(fp + X86.SAVED_FP));
    Registers registers = walk.registers();
    registers.set(X86.RBX, rbx);
    registers.set(X86.R12, r12);
    registers.set(X86.R13, r13);
    registers.set(X86.R14, r14);
    registers.set(X86.R15, r15);
    return null;
  }
}
