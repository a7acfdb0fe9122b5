package stackweave.hotspot;

import stackweave.unwind.UnreadableMemoryException;

/** {@code generate_fixed_frame} and {@code remove_activation} of x86-64. */
final class X86InterpreterEdge implements InterpreterEdge {
  /** Farther above sp than any caller's sp that a register holds at a method's entry. */
  private static final long MOST_LOCALS_BYTES = 1 << 20;

  private final Callers callers;
  private final MethodCache methods;

  X86InterpreterEdge(Callers callers, MethodCache methods) {
    this.callers = callers;
    this.methods = methods;
  }

  /**
   * r13 holds the caller's sp until the frame is set up, then the bytecode pointer: which of both
   * it is tells whether the frame is complete.
   */
  @Override
  public boolean isEntering(Walk walk, PcEntry entry) {
    long r13 = walk.valueOf(X86.R13);
    JavaMethod method = methods.find(walk.valueOf(X86.RBX));
    if (method != null && method.hasBytecodeAt(r13)) {
      return false;
    }
    return r13 > walk.sp() && r13 - walk.sp() < MOST_LOCALS_BYTES;
  }

  @Override
  public boolean leaveEntering(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long sp = walk.sp();
    long r13 = walk.valueOf(X86.R13);
    long fp = walk.fp();
    long senderSp = r13 > sp && r13 - sp < MOST_LOCALS_BYTES ? r13 : 0;
    long top = walk.read(sp);
    if (fp >= sp && fp - sp <= Cpu.FRAME_LINK_BYTES) {
      long pc = walk.peekReturnAddress(fp + Cpu.RETURN_ADDRESS);
      if (callers.isHotSpotReturnAddress(pc)) {
        long callerFp = walk.read(fp);
        walk.toCaller(pc, senderSp != 0 ? senderSp : fp + Cpu.FRAME_LINK_BYTES, callerFp);
        return true;
      }
    }
    if (top == fp && callers.isHotSpotReturnAddress(walk.peek(sp + Cpu.WORD))) {
      // push rbp done, mov rbp, rsp not yet
      long pc = walk.read(sp + Cpu.WORD);
      walk.toCaller(pc, senderSp != 0 ? senderSp : sp + Cpu.FRAME_LINK_BYTES);
      return true;
    }
    if (callers.isHotSpotReturnAddress(top)) {
      walk.toCaller(top, senderSp != 0 ? senderSp : sp + Cpu.WORD);
      return true;
    }
    long rax = walk.valueOf(X86.RAX);
    if (callers.isHotSpotReturnAddress(rax)) {
      walk.toCaller(rax, senderSp != 0 ? senderSp : sp);
      return true;
    }
    return false;
  }

  /** Behind {@code leave}: pop r13; mov rsp, rbx; jmp r13. */
  @Override
  public boolean isLeaving(PcEntry entry) {
    byte[] code = entry.code;
    int at = PcEntry.CODE_BEFORE;
    return code != null
        && (X86Code.isPopR13(code, at) && X86Code.isMoveOfRbxToSp(code, at + 2)
            || X86Code.isMoveOfRbxToSp(code, at) && X86Code.isPopR13(code, at - 2)
            || X86Code.isJumpToR13(code, at) && X86Code.isMoveOfRbxToSp(code, at - 3));
  }

  @Override
  public boolean leaveLeaving(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    byte[] code = entry.code;
    int at = PcEntry.CODE_BEFORE;
    long pc = X86Code.isPopR13(code, at) ? walk.read(walk.sp()) : walk.valueOf(X86.R13);
    long sp = X86Code.isJumpToR13(code, at) ? walk.sp() : walk.valueOf(X86.RBX);
    if (!callers.isHotSpotReturnAddress(pc) || !walk.isOnStack(sp)) {
      return false;
    }
    walk.toCaller(pc, sp);
    return true;
  }
}
