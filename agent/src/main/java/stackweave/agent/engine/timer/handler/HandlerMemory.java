package stackweave.agent.engine.timer.handler;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import stackweave.agent.engine.EngineRefusedException;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.Randomness;
import stackweave.agent.linux.SelfMemory;
import stackweave.agent.linux.SystemCalls;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The memory that the signal handler runs in and works on: its code, the process block, the thread
 * blocks, the ring.
 *
 * <p>Made once in the life of the process and never unmapped, however often sampling starts and
 * stops: a thread may be inside the handler at any time, and how long it stays there is the
 * scheduler's affair. Only the ring goes between two engines, when no thread is inside: who enters
 * then finds sampling off before he looks for it. Where one stays inside, the next engine takes the
 * ring as it is. An agent that is attached after another one was detached finds and uses what that
 * one has left behind.
 *
 * <p>All memory that the handler touches is there before it can: the ring's pages by {@link
 * NativeBuffer#allocateTwice}, the others were written to here.
 */
public final class HandlerMemory {
  /** The smallest ring: 16 samples of the deepest stacks. */
  static final int MIN_RING_BYTES = 4 << 20;

  /** The largest ring. */
  static final int MAX_RING_BYTES = 64 << 20;

  /** The most threads that are sampled at a time. */
  public static final int BLOCKS = 1 << 16;

  private static final int BLOCKS_BYTES = BLOCKS * HandlerLayout.BLOCK_BYTES;
  private static final int USUAL_STACK_BYTES = 100 * 1024;
  private static final long FREE = 0;
  private static final long IN_USE = 1;

  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static HandlerMemory instance;

  private final NativeBuffer process;
  private final NativeBuffer blocks;
  private NativeBuffer ring;
  private final long code;
  private final long magic;

  private HandlerMemory(NativeBuffer process, NativeBuffer blocks, long code, long magic) {
    this.process = process;
    this.blocks = blocks;
    this.code = code;
    this.magic = magic;
  }

  /**
   * The process's one, for an engine to use until {@link #release}.
   *
   * @param access what the process's own memory is to be read with
   * @param ringBytes how large the ring is to be, a power of two; it is smaller where the kernel
   *     grants less
   * @throws EngineRefusedException if another engine has it, or the kernel doesn't grant it
   */
  public static synchronized HandlerMemory acquire(
      SystemCalls calls, CallPolicy policy, MemoryAccess access, int ringBytes)
      throws EngineRefusedException {
    if (instance == null) {
      HandlerLayout layout = HandlerLayout.of(calls.architecture());
      instance = find(layout, access);
      if (instance == null) {
        instance = create(calls, policy, layout);
      }
    }
    if (!LONGS.compareAndSet(
        instance.process.bytes(), HandlerLayout.PROCESS_IN_USE, FREE, IN_USE)) {
      throw TimerRefusals.inUse();
    }
    if (!instance.openRing(ringBytes)) {
      int errno = Libc.errno();
      instance.release();
      throw TimerRefusals.memory(errno);
    }
    return instance;
  }

  /** A ring of the size wanted, or half, or a quarter; false if the kernel grants none. */
  private boolean openRing(int wanted) {
    if (get(HandlerLayout.PROCESS_RING) != 0) {
      return reopenRing();
    }
    for (int bytes = wanted; bytes >= MIN_RING_BYTES; bytes >>= 1) {
      ring = NativeBuffer.allocateTwice(bytes);
      if (ring != null) {
        set(HandlerLayout.PROCESS_RING_BYTES, bytes);
        set(HandlerLayout.PROCESS_RING, ring.address());
        return true;
      }
    }
    return false;
  }

  /** The ring that a thread was inside of when the engine before ended. */
  private boolean reopenRing() {
    int bytes = ringBytes();
    ring = NativeBuffer.view(get(HandlerLayout.PROCESS_RING), 2L * bytes);
    for (int at = 0; at < bytes; at += HandlerLayout.UNIT) {
      LONGS.setOpaque(ring.bytes(), at, 0L);
    }
    return true;
  }

  /**
   * The size that fits a rate: a second of stacks of 100 KiB from all CPUs, and more than that of
   * usual ones.
   *
   * @param samplesPerSecond of one CPU
   */
  public static int ringBytes(int cpus, double samplesPerSecond) {
    double wanted = cpus * samplesPerSecond * USUAL_STACK_BYTES;
    int bytes = (int) Math.max(MIN_RING_BYTES, Math.min(MAX_RING_BYTES, wanted));
    return Integer.highestOneBit(bytes);
  }

  /** What classes that are gone have left behind: memory with this very code; null if none. */
  private static HandlerMemory find(HandlerLayout layout, MemoryAccess access) {
    byte[] code = HandlerCode.read(layout);
    try (SelfMemory memory = new SelfMemory(access)) {
      for (Mapping mapping : ProcMaps.read(Path.of("/proc/self"))) {
        long at = HandlerCode.find(mapping, code, memory);
        if (at != 0) {
          return adopt(at, memory.readLong(at + code.length - Long.BYTES), memory);
        }
      }
    } catch (IOException | UnreadableMemoryException e) {
      return null; // then a new one is made
    }
    return null;
  }

  private static HandlerMemory adopt(long code, long process, SelfMemory memory)
      throws UnreadableMemoryException {
    long blocks = memory.readLong(process + HandlerLayout.PROCESS_BLOCKS);
    if (memory.readLong(process + HandlerLayout.PROCESS_BLOCKS_BYTES) != BLOCKS_BYTES) {
      return null;
    }
    return new HandlerMemory(
        NativeBuffer.view(process, HandlerLayout.PROCESS_BYTES),
        NativeBuffer.view(blocks, BLOCKS_BYTES),
        code,
        memory.readLong(process + HandlerLayout.PROCESS_MAGIC));
  }

  private static HandlerMemory create(SystemCalls calls, CallPolicy policy, HandlerLayout layout)
      throws EngineRefusedException {
    NativeBuffer process = allocate(HandlerLayout.PROCESS_BYTES);
    NativeBuffer blocks = allocate(BLOCKS_BYTES);
    long magic = Randomness.next() | 1;
    ByteBuffer words = process.bytes();
    words.putLong(HandlerLayout.PROCESS_BLOCKS, blocks.address());
    words.putLong(HandlerLayout.PROCESS_BLOCKS_BYTES, BLOCKS_BYTES);
    words.putLong(HandlerLayout.PROCESS_MAGIC, magic);
    words.putLong(HandlerLayout.PROCESS_CLOCK, Libc.vdsoFunction(layout.clock()));
    boolean installed = false;
    try {
      long code = HandlerCode.install(calls, policy, layout, process.address());
      installed = true;
      return new HandlerMemory(process, blocks, code, magic);
    } finally {
      if (!installed) {
        process.close();
        blocks.close();
      }
    }
  }

  private static NativeBuffer allocate(int bytes) throws EngineRefusedException {
    try {
      return NativeBuffer.allocate(bytes);
    } catch (OutOfMemoryError e) {
      throw TimerRefusals.memory(Errno.ENOMEM);
    }
  }

  /** The address of the handler. */
  long code() {
    return code;
  }

  /** The ring, seen twice in a row. */
  public ByteBuffer ring() {
    return ring.bytes();
  }

  /** A word of the process block, with what handlers have written before it. */
  public long get(int offset) {
    return (long) LONGS.getAcquire(process.bytes(), offset);
  }

  /** Sets a word of the process block, behind all that was written before it. */
  public void set(int offset, long value) {
    LONGS.setVolatile(process.bytes(), offset, value);
    VarHandle.fullFence();
  }

  /** The address that a timer's signal carries. */
  public long blockAddress(int block) {
    return blocks.address() + (long) block * HandlerLayout.BLOCK_BYTES;
  }

  /** Makes a block valid, for a thread whose stack is not known yet. */
  public void openBlock(int block, long identity) {
    int at = block * HandlerLayout.BLOCK_BYTES;
    setStack(block, 0, 0);
    blocks.bytes().putLong(at + HandlerLayout.BLOCK_IDENTITY, identity);
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_MAGIC, magic);
  }

  /** What the samples from here on carry. */
  public void setIdentity(int block, long identity) {
    int at = block * HandlerLayout.BLOCK_BYTES;
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_IDENTITY, identity);
  }

  /** The handler reads the end first: as long as that is 0, it copies nothing. */
  public void setStack(int block, long start, long end) {
    int at = block * HandlerLayout.BLOCK_BYTES;
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_STACK_END, 0L);
    VarHandle.fullFence();
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_STACK_START, start);
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_STACK_END, end);
  }

  /** Sets another stack, if it is another one. */
  public void changeStack(int block, long start, long end) {
    int at = block * HandlerLayout.BLOCK_BYTES;
    ByteBuffer words = blocks.bytes();
    if (words.getLong(at + HandlerLayout.BLOCK_STACK_START) != start
        || words.getLong(at + HandlerLayout.BLOCK_STACK_END) != end) {
      setStack(block, start, end);
    }
  }

  /** Makes a block invalid: its thread has ended, or no signal of ours can come any more. */
  public void closeBlock(int block) {
    LONGS.setRelease(
        blocks.bytes(), block * HandlerLayout.BLOCK_BYTES + HandlerLayout.BLOCK_MAGIC, 0L);
  }

  /** Bytes of the ring, a power of two. */
  public int ringBytes() {
    return (int) get(HandlerLayout.PROCESS_RING_BYTES);
  }

  /**
   * Ends the use, after sampling was switched off: the ring goes, if no thread is inside the
   * handler.
   */
  public void release() {
    if (ring != null && get(HandlerLayout.PROCESS_IN_FLIGHT) == 0) {
      set(HandlerLayout.PROCESS_RING, 0);
      ring.close();
    }
    ring = null;
    set(HandlerLayout.PROCESS_IN_USE, FREE);
  }
}
