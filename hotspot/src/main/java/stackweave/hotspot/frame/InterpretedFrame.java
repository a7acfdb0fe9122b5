package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.InterpreterEdge;
import stackweave.hotspot.method.CallSites;
import stackweave.hotspot.method.JavaMethod;
import stackweave.hotspot.method.MethodCache;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves a frame of the template interpreter: based on a frame pointer, with the caller's sp in a
 * slot of its own because the arguments are in between. The states in which it is not complete
 * differ by processor ({@link InterpreterEdge}).
 */
public final class InterpretedFrame implements HotSpotFrame {
  private final MethodCache methods;
  private final CallSites sites;
  private final StackScan scan;
  private final InterpreterEdge edge;
  private final int unknownMethod;

  /**
   * @param unknownMethod id of the method to name where a frame's own can't be read
   */
  public InterpretedFrame(
      MethodCache methods,
      CallSites sites,
      StackScan scan,
      InterpreterEdge edge,
      int unknownMethod) {
    this.edge = edge;
    this.methods = methods;
    this.sites = sites;
    this.scan = scan;
    this.unknownMethod = unknownMethod;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    if (walk.interrupted() && entry.codelet != null) {
      boolean frameless = !entry.codelet.hasFrame();
      if (entry.codelet.isMethodEntry() && (frameless || isEntering(walk, entry))) {
        return leaveEntering(walk, entry);
      }
      if (edge.isLeaving(entry.code)) {
        return leaveLeaving(walk, entry);
      }
    } else if (entry.codelet != null && !entry.codelet.hasFrame()) {
      return leaveFrameless(walk, entry);
    }
    return leaveComplete(walk, entry);
  }

  private boolean isEntering(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    return edge.isEntering(walk, entry.codelet.begin(), entry.codelet.end());
  }

  private StopReason leaveComplete(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long fp = walk.fp();
    if (!walk.isOnStack(fp)) {
      return leaveWithoutFrame(walk, entry);
    }
    long pc = walk.readReturnAddress(fp + Cpu.RETURN_ADDRESS);
    boolean certain = !walk.interrupted();
    if (certain ? !walk.isInCodeCache(pc) : !walk.isManaged(pc)) {
      return scan(walk, add(walk, entry, walk.peek(fp + Cpu.METHOD), 0, true));
    }
    // While the frame is set up the method is in a register, and its slot not pushed yet.
    boolean pushed = fp + Cpu.METHOD >= walk.sp();
    long method = pushed ? walk.read(fp + Cpu.METHOD) : walk.valueOf(walk.cpu().roles.method());
    StopReason full = add(walk, entry, method, bcp(walk, fp, method), walk.interrupted());
    if (full != null) {
      return full;
    }
    long senderSp = walk.read(fp + Cpu.SENDER_SP);
    boolean plausible = senderSp > fp && walk.isOnStack(senderSp);
    walk.toCaller(
        pc, plausible ? senderSp : fp + Cpu.FRAME_LINK_BYTES, walk.read(fp + Cpu.SAVED_FP));
    return null;
  }

  /** Leaves code between two frames, where the frame pointer is that of another frame. */
  private StopReason leaveWithoutFrame(Walk walk, PcEntry entry) {
    return scan(walk, walk.addStub(entry));
  }

  /** Searches for the caller, unless the frame buffer is full. */
  private StopReason scan(Walk walk, StopReason full) {
    return full != null || scan.toCaller(walk, walk.sp()) ? full : StopReason.BAD_INTERPRETER_FRAME;
  }

  /** The bytecode pointer: in a register while bytecodes run, in the frame's slot over calls. */
  private long bcp(Walk walk, long fp, long method) {
    long inRegister = walk.valueOf(walk.cpu().roles.bytecodePointer());
    return walk.interrupted() && methods.hasBytecodeAt(method, inRegister)
        ? inRegister
        : walk.peek(fp + walk.cpu().slots.bytecodePointer());
  }

  /**
   * @param guessed whether the address may be left over from an earlier frame, as it may where the
   *     interpreter was interrupted: then the frame at hand says nothing of whether the method's
   *     class is still there
   */
  private StopReason add(Walk walk, PcEntry entry, long address, long bcp, boolean guessed) {
    JavaMethod method = guessed ? methods.findGuessed(address) : methods.find(address);
    boolean doubtful = method == null && !guessed;
    if (doubtful) {
      // Another one may have been there at the sample's time, whose class has been unloaded.
      method = methods.findPresent(address);
    }
    if (method == null || isForeign(walk, method, bcp)) {
      return walk.addNamed(FrameKind.INTERPRETED, entry.pc, walk.interrupted(), unknownMethod);
    }
    boolean known = method.hasBytecodeAt(bcp);
    int bci = known ? (int) (bcp - method.bytecodes) : FrameBuffer.UNKNOWN;
    int site = walk.interrupted() ? FrameBuffer.UNKNOWN : bci;
    long called = sites.calledAt(method, site);
    long calledClass = sites.classCalledAt(method, site);
    return walk.addInterpreted(method, bci, called, calledClass, doubtful);
  }

  /** A frame that waits for a call keeps where it is in its method's bytecodes. */
  private static boolean isForeign(Walk walk, JavaMethod method, long bcp) {
    return !walk.interrupted() && !method.isNative() && !method.hasBytecodeAt(bcp);
  }

  private StopReason leaveEntering(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = add(walk, entry, walk.valueOf(walk.cpu().roles.method()), 0, true);
    if (full != null) {
      return full;
    }
    return edge.leaveEntering(walk, entry.code) || scan.toCaller(walk, walk.sp())
        ? null
        : StopReason.BAD_INTERPRETER_FRAME;
  }

  /** The frame is gone already; it is shown no more, its caller waits right at its return. */
  private StopReason leaveLeaving(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    return edge.leaveLeaving(walk, entry.code) ? null : StopReason.BAD_INTERPRETER_FRAME;
  }

  /** The entry of an intrinsic, waiting for its stub: the return address is nearly on top. */
  private StopReason leaveFrameless(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    long sp = walk.sp();
    for (long slot = sp; slot <= sp + Cpu.FRAME_LINK_BYTES; slot += Cpu.WORD) {
      long pc = walk.readReturnAddress(slot);
      if (walk.isManaged(pc)) {
        walk.toCaller(pc, slot + Cpu.WORD);
        return null;
      }
    }
    return scan.toCaller(walk, sp) ? null : StopReason.BAD_INTERPRETER_FRAME;
  }
}
