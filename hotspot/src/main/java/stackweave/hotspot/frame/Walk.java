package stackweave.hotspot.frame;

import stackweave.hotspot.code.CodeBlob;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.FrameState;
import stackweave.hotspot.cpu.PartialFrame;
import stackweave.hotspot.method.CallSites;
import stackweave.hotspot.method.JavaMethod;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.hotspot.pc.PcEntry;
import stackweave.hotspot.unloading.Unloading;
import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.CodeModules;
import stackweave.unwind.walk.Found;

/**
 * The state of the stack that is being unwound: registers of the frame at hand, the copied stack,
 * and the frames found so far, which it appends. Passed to all frame classes. Reused from sample to
 * sample; not thread-safe.
 */
public final class Walk implements FrameState {
  /** Farther above the innermost sp than any thread's stack is large, in bytes. */
  private static final long MAX_STACK_BYTES = 1L << 30;

  /**
   * How many words of a stack all searches together look at. A stack that is made for it has words
   * everywhere that look like return addresses, and each of its frames is searched for its caller.
   */
  private static final int MAX_PEEKS = 1 << 17;

  private static final int NO_FRAME = -1;

  private final Registers registers;
  private final Cpu cpu;
  private final int staleCode;
  private final Unloading unloading;
  private final Callers callers;
  private final UnwindCounters counters;
  private MemoryReader stack;
  private CodeModules modules;
  private FrameBuffer frames;
  private boolean interrupted;
  private long timeNanos;

  /** The Java frame that was appended last, and its key, for the link with its caller. */
  private int calleeFrame;

  private long calleeKey;
  private long calleeClass;
  private int links;
  private int brokenLinks;
  private int doubtful;
  private int peeksLeft;

  // The state that goBack() goes back to.
  private final Registers markedRegisters;
  private boolean markedInterrupted;
  private int markedFrames;
  private int markedCallee;
  private long markedKey;
  private long markedClass;
  private int markedLinks;
  private int markedBroken;
  private int markedDoubtful;
  private long markedMount;
  private long markedContinuation;

  /**
   * @param registers to be used for the frame at hand
   * @param cpu null where HotSpot's frames are not known
   * @param staleCode name of code that is not there any more
   * @param unloading null where HotSpot's frames are not known
   * @param callers null where HotSpot's frames are not known: nothing may be asked of callers then
   */
  public Walk(
      Registers registers,
      Cpu cpu,
      int staleCode,
      Unloading unloading,
      Callers callers,
      UnwindCounters counters) {
    this.registers = registers;
    this.markedRegisters = new Registers(registers.architecture());
    this.cpu = cpu;
    this.staleCode = staleCode;
    this.unloading = unloading;
    this.callers = callers;
    this.counters = counters;
  }

  /** Begins a stack at its innermost frame. */
  public void begin(StackSnapshot sample, CodeModules modules, FrameBuffer frames) {
    registers.copyFrom(sample.registers());
    this.stack = sample;
    this.timeNanos = sample.timeNanos() == 0 ? Long.MAX_VALUE : sample.timeNanos();
    this.modules = modules;
    this.frames = frames;
    this.interrupted = !sample.isWaitingForCall();
    calleeFrame = NO_FRAME;
    links = 0;
    brokenLinks = 0;
    doubtful = 0;
    peeksLeft = MAX_PEEKS;
  }

  /** Keeps the state of now, to go back to. */
  public void mark() {
    markedRegisters.copyFrom(registers);
    markedInterrupted = interrupted;
    markedFrames = frames.count();
    markedCallee = calleeFrame;
    markedKey = calleeKey;
    markedClass = calleeClass;
    markedLinks = links;
    markedBroken = brokenLinks;
    markedDoubtful = doubtful;
    markedMount = frames.mountEntry();
    markedContinuation = frames.mountedContinuation();
  }

  /** Goes back to the state at {@link #mark}: frames appended since are gone. */
  public void goBack() {
    registers.copyFrom(markedRegisters);
    interrupted = markedInterrupted;
    frames.truncate(markedFrames);
    calleeFrame = markedCallee;
    calleeKey = markedKey;
    calleeClass = markedClass;
    links = markedLinks;
    brokenLinks = markedBroken;
    doubtful = markedDoubtful;
    frames.setMounted(markedMount, markedContinuation);
  }

  @Override
  public Registers registers() {
    return registers;
  }

  /** The processor; null where HotSpot's frames are not known. */
  public Cpu cpu() {
    return cpu;
  }

  @Override
  public MemoryReader stack() {
    return stack;
  }

  @Override
  public CodeModules modules() {
    return modules;
  }

  /** The frames found so far. */
  public FrameBuffer frames() {
    return frames;
  }

  @Override
  public boolean interrupted() {
    return interrupted;
  }

  @Override
  public void setInterrupted(boolean interrupted) {
    this.interrupted = interrupted;
  }

  @Override
  public long pc() {
    return registers.pc();
  }

  @Override
  public long sp() {
    return registers.sp();
  }

  @Override
  public long fp() {
    return valueOf(registers.architecture().fp());
  }

  @Override
  public boolean isFpKnown() {
    return registers.isKnown(registers.architecture().fp());
  }

  /** Sets the frame pointer, which is known then. */
  public void setFp(long fp) {
    registers.set(registers.architecture().fp(), fp);
  }

  private void setSp(long sp) {
    registers.set(registers.architecture().sp(), sp);
  }

  @Override
  public long valueOf(int register) {
    if (!registers.isKnown(register)) {
      return 0;
    }
    try {
      registers.rely(register, stack);
    } catch (UnreadableMemoryException e) {
      return 0;
    }
    return registers.get(register);
  }

  @Override
  public long read(long address) throws UnreadableMemoryException {
    return stack.readLong(address);
  }

  @Override
  public long peek(long address) {
    if (!isOnStack(address) || peeksLeft == 0) {
      return 0;
    }
    peeksLeft--;
    try {
      return stack.readLong(address);
    } catch (UnreadableMemoryException e) {
      return 0;
    }
  }

  /**
   * The return address that may be in a slot. Most such words are of no frame, so the walk does not
   * rely on them.
   */
  long searchReturnAddress(long address) throws UnreadableMemoryException {
    if (peeksLeft == 0) {
      throw UnreadableMemoryException.UNREADABLE;
    }
    peeksLeft--;
    return cpu.returnAddress(stack.readSaved(address));
  }

  /** As {@link #read}, of a slot with a return address. */
  long readReturnAddress(long address) throws UnreadableMemoryException {
    return cpu.returnAddress(stack.readLong(address));
  }

  @Override
  public long peekReturnAddress(long address) {
    return cpu.returnAddress(peek(address));
  }

  @Override
  public long returnAddressOf(PartialFrame frame) throws UnreadableMemoryException {
    return frame.returnAddress() == PartialFrame.IN_REGISTER
        ? cpu.returnAddress(valueOf(registers.architecture().ra()))
        : readReturnAddress(sp() + frame.returnAddress());
  }

  @Override
  public long callerFpOf(PartialFrame frame) throws UnreadableMemoryException {
    return frame.savedFp() == PartialFrame.IN_REGISTER
        ? fp()
        : stack.readLong(sp() + frame.savedFp());
  }

  @Override
  public long topReturnAddress() throws UnreadableMemoryException {
    return returnAddressOf(cpu.code.frameless);
  }

  /**
   * Whether the frame at hand, of a processor with a link register, has saved it, and has a frame
   * pointer of its own: the caller's would lead to another return address.
   */
  boolean isLinkSaved() throws UnreadableMemoryException {
    return cpu.callBytes == 0 && peekReturnAddress(fp() + Cpu.RETURN_ADDRESS) == topReturnAddress();
  }

  /** Whether the link register leads back into {@code blob}, which has called another since. */
  boolean isLinkIn(CodeBlob blob) throws UnreadableMemoryException {
    return cpu.callBytes == 0 && blob.contains(topReturnAddress());
  }

  @Override
  public long spBeforeCall() {
    return sp() + cpu.callBytes;
  }

  @Override
  public boolean isOnStack(long address) {
    return address >= sp() && address - sp() < MAX_STACK_BYTES && (address & 7) == 0;
  }

  @Override
  public boolean isReturnAddress(long pc) {
    return callers.isReturnAddress(this, pc);
  }

  @Override
  public boolean isManaged(long pc) {
    return callers.isHotSpotReturnAddress(pc);
  }

  @Override
  public boolean isCaller(long pc) {
    return callers.isCaller(this, pc);
  }

  @Override
  public boolean isExpectedCaller(long pc) {
    return callers.isExpectedCaller(this, pc);
  }

  /** Appends the frame of a stub. Null, or why the walk must end. */
  StopReason addStub(PcEntry entry) {
    return addStub(entry, entry.blob.nameId);
  }

  /** Appends the frame of a stub that has a name of its own in its blob. */
  StopReason addStub(PcEntry entry, int nameId) {
    return addNamed(FrameKind.STUB, entry.pc, interrupted, nameId);
  }

  /** Appends a frame that has a name and no place. Null, or why the walk must end. */
  public StopReason addNamed(FrameKind kind, long pc, boolean interrupted, int nameId) {
    int none = FrameBuffer.UNKNOWN;
    return added(frames.addHotSpot(kind, pc, interrupted, nameId, none, none));
  }

  /** Appends a mark of {@link FrameKind#CONTINUATION}. Null, or why the walk must end. */
  StopReason addMark(PcEntry entry, int nameId) {
    return addNamed(FrameKind.CONTINUATION, entry.pc, false, nameId);
  }

  /** Appends the Java frames at a pc of compiled code. Null, or why the walk must end. */
  StopReason addCompiled(PcEntry entry) {
    PcEntry.JavaFrames java = entry.javaFrames;
    int first = frames.count();
    boolean all = true;
    int count = java.count();
    for (int i = 0; i < count; i++) {
      all &=
          frames.addHotSpot(
              i < count - 1 ? FrameKind.INLINED : java.kind(),
              entry.pc,
              interrupted,
              java.method(i),
              java.bci(i),
              java.line(i));
      if (i > 0 && all) {
        frames.setLink(first + i, LinkCheck.INLINED);
      }
    }
    if (all) {
      link(first, java.called(), java.calledClass(), entry.blob.isProven(timeNanos));
      if (entry.nmethod != null && entry.blob.isDoubtful(unloading, timeNanos)) {
        addDoubt(first);
      }
      setCallee(java.key(), java.holderName());
      brokenLinks += java.linked() ? 0 : 1;
    }
    return added(all);
  }

  /** Only its caller proves the frame. */
  private void addDoubt(int frame) {
    doubtful++;
    frames.setLink(frame, (byte) (frames.link(frame) | LinkCheck.DOUBTFUL));
  }

  /** Marks frame {@code i}, appended last, as proven: its code is never freed or replaced. */
  void markProven(int i) {
    if (i < frames.count()) {
      doubtful -= (frames.link(i) & LinkCheck.DOUBTFUL) != 0 ? 1 : 0;
      frames.setLink(i, (byte) (frames.link(i) & ~LinkCheck.DOUBTFUL | LinkCheck.PROVEN));
    }
  }

  /**
   * Appends the frame of an interpreted method. Null, or why the walk must end.
   *
   * @param called what the method's bytecode calls at {@code bci}
   * @param calledClass the class that it names there
   * @param isDoubtful whether another method can have been there at the sample's time
   */
  StopReason addInterpreted(
      JavaMethod method, int bci, long called, long calledClass, boolean isDoubtful) {
    FrameKind kind = method.isNative() ? FrameKind.NATIVE_METHOD : FrameKind.INTERPRETED;
    int line = method.lineAt(bci);
    boolean all = frames.addHotSpot(kind, pc(), interrupted, method.id, bci, line);
    if (all) {
      link(frames.count() - 1, called, calledClass, method.isProven(timeNanos));
      if (isDoubtful) {
        addDoubt(frames.count() - 1);
      }
      setCallee(method.key, method.holderName);
    }
    return added(all);
  }

  /** The frame appended last is a method of that key, which its caller's bytecode must call. */
  private void setCallee(long key, long holderName) {
    calleeFrame = key == CallSites.ANYTHING ? NO_FRAME : frames.count() - 1;
    calleeKey = key;
    calleeClass = holderName;
  }

  /** Links what was appended from frame {@code first} on with the frame before that. */
  private void link(int first, long called, long calledClass, boolean proven) {
    byte link = LinkCheck.NONE;
    if (called != CallSites.ANYTHING && !interrupted && first > 0 && calleeFrame == first - 1) {
      boolean held = CallSites.canCall(called, calleeKey);
      link = held ? LinkCheck.HELD : LinkCheck.BROKEN;
      boolean named = held && calledClass == calleeClass && calledClass != CallSites.NO_CLASS;
      link |= named ? LinkCheck.CLASS_NAMED : 0;
      links++;
      brokenLinks += held ? 0 : 1;
    }
    frames.setLink(first, (byte) (link | (proven ? LinkCheck.PROVEN : 0)));
  }

  /** How many pairs of Java frames were checked. */
  public int links() {
    return links;
  }

  /** How many frames may be of code or a method that is younger than the sample. */
  public int doubtful() {
    return doubtful;
  }

  /** How many of them don't fit. */
  public int brokenLinks() {
    return brokenLinks;
  }

  /** Appends a frame of code that was freed or replaced since. Null, or why the walk must end. */
  public StopReason addStale(long pc, boolean interrupted) {
    return addNamed(FrameKind.UNKNOWN, pc, interrupted, staleCode);
  }

  private static StopReason added(boolean all) {
    return all ? null : StopReason.TOO_DEEP;
  }

  @Override
  public void toCaller(long pc, long sp) {
    loseRegisters();
    registers.setPc(pc);
    setSp(sp);
    interrupted = false;
  }

  @Override
  public void popTo(long pc, long sp) {
    registers.setPc(pc);
    setSp(sp);
    interrupted = false;
  }

  @Override
  public void leaveByFp(long pc) throws UnreadableMemoryException {
    long fp = fp();
    long saved = read(fp + Cpu.SAVED_FP);
    registers.clear();
    registers.setPc(pc);
    setSp(fp + Cpu.FRAME_LINK_BYTES);
    setFp(saved);
    interrupted = false;
  }

  /**
   * Makes the caller the frame at hand by the frame link at {@code fp}, of code that has changed no
   * other register.
   *
   * @param pc the return address, which is in the word below {@code sp}
   */
  void popLink(long pc, long sp, long fp) {
    long callerFp = peek(fp + Cpu.SAVED_FP);
    popTo(pc, sp);
    setFp(callerFp);
  }

  /** As {@link Callers#isInCodeCache}. */
  boolean isInCodeCache(long pc) {
    return callers.isInCodeCache(pc);
  }

  /** As {@link Callers#isGoodForJava}. */
  boolean isGoodForJava(long pc, long sp, long fp) {
    return callers.isGoodForJava(this, pc, sp, fp);
  }

  /** Leaves Java code by the frame link at {@code fp}; false if no caller of it is there. */
  boolean leaveLink(long fp) throws UnreadableMemoryException {
    long pc = readReturnAddress(fp + Cpu.RETURN_ADDRESS);
    if (!isManaged(pc)) {
      return false;
    }
    toCaller(pc, fp + Cpu.FRAME_LINK_BYTES, read(fp + Cpu.SAVED_FP));
    return true;
  }

  /** Leaves Java code whose frame is not complete; false if no caller of it is there. */
  boolean leavePartial(PartialFrame frame) throws UnreadableMemoryException {
    long pc = returnAddressOf(frame);
    if (!isManaged(pc)) {
      return false;
    }
    toCaller(pc, sp() + frame.size(), callerFpOf(frame));
    return true;
  }

  @Override
  public void setFound(Found how) {
    frames.setFoundOfNext(how);
    counters.guessedCallers += how.isGuess() ? 1 : 0;
  }

  /** Counts a caller that a search found by a guess and keeps. */
  public void countGuess() {
    counters.guessedCallers++;
  }

  @Override
  public void toCaller(long pc, long sp, long fp) {
    toCaller(pc, sp);
    setFp(fp);
  }

  private void loseRegisters() {
    Architecture architecture = registers.architecture();
    int thread = cpu.roles.thread();
    for (int i = 0; i < architecture.registerCount(); i++) {
      if (i != architecture.sp() && i != architecture.fp() && i != thread) {
        registers.forget(i);
      }
    }
  }
}
