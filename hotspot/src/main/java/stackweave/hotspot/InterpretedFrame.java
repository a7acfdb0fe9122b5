package stackweave.hotspot;

import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * A frame of the template interpreter: rbp-based, with the caller's sp in a slot of its own because
 * arguments lie in between.
 */
final class InterpretedFrame implements HotSpotFrame {
  /** Farther above sp than any caller's sp that a register holds at a method's entry. */
  private static final long MOST_LOCALS_BYTES = 1 << 20;

  private final Callers callers;
  private final MethodCache methods;
  private final StackScan scan;
  private final int unknownMethod;

  InterpretedFrame(Callers callers, MethodCache methods, StackScan scan, int unknownMethod) {
    this.callers = callers;
    this.methods = methods;
    this.scan = scan;
    this.unknownMethod = unknownMethod;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    if (walk.interrupted() && entry.codelet != null) {
      if (entry.codelet.isMethodEntry() && isEntering(walk, entry)) {
        return leaveEntering(walk, entry);
      }
      if (isLeaving(entry)) {
        return leaveLeaving(walk, entry);
      }
    } else if (entry.codelet != null && !entry.codelet.hasFrame()) {
      return leaveFrameless(walk, entry);
    }
    return leaveComplete(walk, entry);
  }

  private StopReason leaveComplete(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long fp = walk.valueOf(X86.RBP);
    if (!walk.isOnStack(fp)) {
      return leaveWithoutFrame(walk, entry);
    }
    long pc = walk.read(fp + X86.RETURN_ADDRESS);
    if (!callers.isHotSpotReturnAddress(pc)) {
      return scanFrom(walk, entry, fp);
    }
    // While the frame is set up the method is in a register, and its slot not pushed yet.
    boolean pushed = fp + X86.METHOD >= walk.sp();
    long method = pushed ? walk.read(fp + X86.METHOD) : walk.valueOf(X86.RBX);
    StopReason full = add(walk, entry, method, bcp(walk, fp, method));
    if (full != null) {
      return full;
    }
    long senderSp = walk.read(fp + X86.SENDER_SP);
    boolean plausible = senderSp > fp && walk.isOnStack(senderSp);
    walk.toCaller(
        pc, plausible ? senderSp : fp + X86.FRAME_LINK_BYTES, walk.read(fp + X86.SAVED_FP));
    return null;
  }

  /** Between two frames, where rbp is already or still another's. */
  private StopReason leaveWithoutFrame(Walk walk, PcEntry entry) {
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    return scan.toCaller(walk, walk.sp()) ? null : StopReason.BAD_INTERPRETER_FRAME;
  }

  private StopReason scanFrom(Walk walk, PcEntry entry, long fp) {
    StopReason full = add(walk, entry, walk.peek(fp + X86.METHOD), 0);
    if (full != null) {
      return full;
    }
    return scan.toCaller(walk, walk.sp()) ? null : StopReason.BAD_INTERPRETER_FRAME;
  }

  /** The bytecode pointer: in r13 while bytecodes run, in the frame's slot over calls. */
  private long bcp(Walk walk, long fp, long method) {
    JavaMethod java = walk.interrupted() ? methods.find(method) : null;
    long inRegister = walk.valueOf(X86.R13);
    return java != null && java.hasBytecodeAt(inRegister) ? inRegister : walk.peek(fp + X86.BCP);
  }

  private StopReason add(Walk walk, PcEntry entry, long address, long bcp) {
    JavaMethod method = methods.find(address);
    int bci =
        method != null && method.hasBytecodeAt(bcp)
            ? (int) (bcp - method.bytecodes)
            : FrameBuffer.UNKNOWN;
    FrameKind kind =
        method != null && method.isNative() ? FrameKind.NATIVE_METHOD : FrameKind.INTERPRETED;
    return walk.added(
        walk.frames()
            .addHotSpot(
                kind,
                entry.pc,
                walk.interrupted(),
                method == null ? unknownMethod : method.id,
                bci,
                method == null ? FrameBuffer.UNKNOWN : method.lineAt(bci)));
  }

  /**
   * In a method's entry r13 holds the caller's sp until the frame is set up, then the bytecode
   * pointer: which of both it is tells whether the frame is complete.
   */
  private boolean isEntering(Walk walk, PcEntry entry) {
    if (!entry.codelet.hasFrame()) {
      return true;
    }
    long r13 = walk.valueOf(X86.R13);
    JavaMethod method = methods.find(walk.valueOf(X86.RBX));
    if (method != null && method.hasBytecodeAt(r13)) {
      return false;
    }
    return r13 > walk.sp() && r13 - walk.sp() < MOST_LOCALS_BYTES;
  }

  private StopReason leaveEntering(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = add(walk, entry, walk.valueOf(X86.RBX), 0);
    if (full != null) {
      return full;
    }
    long sp = walk.sp();
    long r13 = walk.valueOf(X86.R13);
    long fp = walk.valueOf(X86.RBP);
    long senderSp = r13 > sp && r13 - sp < MOST_LOCALS_BYTES ? r13 : 0;
    long top = walk.read(sp);
    if (fp >= sp && fp - sp <= X86.FRAME_LINK_BYTES) {
      long pc = walk.peek(fp + X86.RETURN_ADDRESS);
      if (callers.isHotSpotReturnAddress(pc)) {
        long callerFp = walk.read(fp);
        walk.toCaller(pc, senderSp != 0 ? senderSp : fp + X86.FRAME_LINK_BYTES, callerFp);
        return null;
      }
    }
    if (top == fp && callers.isHotSpotReturnAddress(walk.peek(sp + X86.WORD))) {
      // push rbp done, mov rbp, rsp not yet
      long pc = walk.read(sp + X86.WORD);
      walk.toCaller(pc, senderSp != 0 ? senderSp : sp + X86.FRAME_LINK_BYTES);
      return null;
    }
    if (callers.isHotSpotReturnAddress(top)) {
      walk.toCaller(top, senderSp != 0 ? senderSp : sp + X86.WORD);
      return null;
    }
    long rax = walk.valueOf(X86.RAX);
    if (callers.isHotSpotReturnAddress(rax)) {
      walk.toCaller(rax, senderSp != 0 ? senderSp : sp);
      return null;
    }
    return scan.toCaller(walk, sp) ? null : StopReason.BAD_INTERPRETER_FRAME;
  }

  /** Behind {@code leave}: pop r13; mov rsp, rbx; jmp r13. */
  private static boolean isLeaving(PcEntry entry) {
    byte[] code = entry.code;
    int at = PcEntry.CODE_BEFORE;
    return code != null
        && (X86Code.isPopR13(code, at) && X86Code.isMoveOfRbxToSp(code, at + 2)
            || X86Code.isMoveOfRbxToSp(code, at) && X86Code.isPopR13(code, at - 2)
            || X86Code.isJumpToR13(code, at) && X86Code.isMoveOfRbxToSp(code, at - 3));
  }

  /** The frame is gone already; it is shown no more, its caller waits right at its return. */
  private StopReason leaveLeaving(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    byte[] code = entry.code;
    int at = PcEntry.CODE_BEFORE;
    long pc = X86Code.isPopR13(code, at) ? walk.read(walk.sp()) : walk.valueOf(X86.R13);
    long sp = X86Code.isJumpToR13(code, at) ? walk.sp() : walk.valueOf(X86.RBX);
    if (!callers.isHotSpotReturnAddress(pc) || !walk.isOnStack(sp)) {
      return StopReason.BAD_INTERPRETER_FRAME;
    }
    walk.toCaller(pc, sp);
    return null;
  }

  /** The entry of an intrinsic, waiting for its stub: the return address is nearly on top. */
  private StopReason leaveFrameless(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    long sp = walk.sp();
    for (long slot = sp; slot <= sp + X86.FRAME_LINK_BYTES; slot += X86.WORD) {
      long pc = walk.read(slot);
      if (callers.isHotSpotReturnAddress(pc)) {
        walk.toCaller(pc, slot + X86.WORD);
        return null;
      }
    }
    return scan.toCaller(walk, sp) ? null : StopReason.BAD_INTERPRETER_FRAME;
  }
}
