package stackweave.engine.timer.handler;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.MemoryAccess;
import stackweave.linux.NativeBuffer;
import stackweave.linux.ProcessMemory;
import stackweave.linux.Randomness;
import stackweave.linux.SystemCalls;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The memory of the signal handler: its code, the process block, the thread blocks and the ring.
 * Created once in the life of the process and never unmapped, since a thread may be inside the
 * handler at any time; a later agent finds and reuses it. Only the ring is unmapped between
 * engines, if no thread is inside: one that enters later sees sampling disabled first. Used by one
 * {@code TimerEngine} at a time.
 *
 * <p>All pages that the handler touches must be present before it runs: the ring's by {@link
 * NativeBuffer#allocateTwice}, the others because they are written here.
 */
public final class HandlerMemory {
  /** The smallest ring, in bytes: 16 samples of the deepest stacks. */
  static final int MIN_RING_BYTES = 4 << 20;

  /** The largest ring, in bytes. */
  static final int MAX_RING_BYTES = 64 << 20;

  /** Thread blocks, and so the most threads sampled at a time. */
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
   * Acquires the process's handler memory until {@link #release}.
   *
   * @param access how the process reads its own memory
   * @param ringBytes wanted size of the ring, a power of two; smaller if the kernel grants less
   * @throws EngineRefusedException if another engine uses it, or the kernel refuses memory
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
      throw RefusalText.TIMER_IN_USE.of(EngineKind.TIMER, 0);
    }
    if (!instance.openRing(ringBytes)) {
      int errno = Libc.errno();
      instance.release();
      throw RefusalText.TIMER_MEMORY.of(EngineKind.TIMER, errno);
    }
    return instance;
  }

  /**
   * Maps a ring of the wanted size, or half, or a quarter and so on; false if the kernel grants
   * none.
   */
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

  /** Reuses the ring that was left because a thread was inside the handler. */
  private boolean reopenRing() {
    int bytes = ringBytes();
    ring = NativeBuffer.view(get(HandlerLayout.PROCESS_RING), 2L * bytes);
    for (int at = 0; at < bytes; at += HandlerLayout.UNIT) {
      LONGS.setOpaque(ring.bytes(), at, 0L);
    }
    return true;
  }

  /**
   * The ring size for a sampling rate: a second of 100 KiB stacks from all CPUs.
   *
   * @param samplesPerSecond of one CPU
   * @return bytes, a power of two
   */
  public static int ringBytes(int cpus, double samplesPerSecond) {
    double wanted = cpus * samplesPerSecond * USUAL_STACK_BYTES;
    int bytes = (int) Math.max(MIN_RING_BYTES, Math.min(MAX_RING_BYTES, wanted));
    return Integer.highestOneBit(bytes);
  }

  /** Finds the memory that an earlier agent left, by this very code; null if there is none. */
  private static HandlerMemory find(HandlerLayout layout, MemoryAccess access) {
    byte[] code = HandlerCode.read(layout);
    try (ProcessMemory memory = new ProcessMemory(SampledProcess.OWN, access)) {
      for (Mapping mapping : ProcMaps.read(Path.of("/proc/self"))) {
        long at = HandlerCode.find(mapping, code, memory);
        if (at != 0) {
          return adopt(at, memory.readLong(at + code.length - Long.BYTES), memory);
        }
      }
    } catch (IOException | UnreadableMemoryException e) {
      return null; // then new memory is created
    }
    return null;
  }

  private static HandlerMemory adopt(long code, long process, ProcessMemory memory)
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
    NativeBuffer blocks = null;
    boolean installed = false;
    try {
      blocks = allocate(BLOCKS_BYTES);
      long magic = Randomness.next() | 1;
      ByteBuffer words = process.bytes();
      words.putLong(HandlerLayout.PROCESS_BLOCKS, blocks.address());
      words.putLong(HandlerLayout.PROCESS_BLOCKS_BYTES, BLOCKS_BYTES);
      words.putLong(HandlerLayout.PROCESS_MAGIC, magic);
      words.putLong(HandlerLayout.PROCESS_CLOCK, Libc.vdsoFunction(layout.clock()));
      long code = HandlerCode.install(calls, policy, layout, process.address());
      installed = true;
      return new HandlerMemory(process, blocks, code, magic);
    } finally {
      if (!installed) {
        process.close();
        if (blocks != null) {
          blocks.close();
        }
      }
    }
  }

  private static NativeBuffer allocate(int bytes) throws EngineRefusedException {
    try {
      return NativeBuffer.allocate(bytes);
    } catch (OutOfMemoryError e) {
      throw RefusalText.TIMER_MEMORY.of(EngineKind.TIMER, Errno.ENOMEM);
    }
  }

  /** The address of the handler's first instruction. */
  long code() {
    return code;
  }

  /** The ring, mapped twice in a row. */
  public ByteBuffer ring() {
    return ring.bytes();
  }

  /**
   * Reads a word of the process block. Memory ordering: acquire, so that what handlers wrote before
   * it is visible.
   */
  public long get(int offset) {
    return (long) LONGS.getAcquire(process.bytes(), offset);
  }

  /**
   * Writes a word of the process block. Memory ordering: volatile with a full fence, after
   * everything written before and before everything read later.
   */
  public void set(int offset, long value) {
    LONGS.setVolatile(process.bytes(), offset, value);
    VarHandle.fullFence();
  }

  /** The address of a thread block, which its timer's signal carries. */
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

  /** Sets the identity that later samples carry. */
  public void setIdentity(int block, long identity) {
    int at = block * HandlerLayout.BLOCK_BYTES;
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_IDENTITY, identity);
  }

  /**
   * Sets a stack's bounds. The handler reads the end first, and copies nothing while that is 0.
   * Memory ordering: the end is cleared before the start changes, and written last.
   */
  public void setStack(int block, long start, long end) {
    int at = block * HandlerLayout.BLOCK_BYTES;
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_STACK_END, 0L);
    VarHandle.fullFence();
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_STACK_START, start);
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_STACK_END, end);
  }

  /** Sets a stack's bounds if they differ. */
  public void changeStack(int block, long start, long end) {
    int at = block * HandlerLayout.BLOCK_BYTES;
    ByteBuffer words = blocks.bytes();
    if (words.getLong(at + HandlerLayout.BLOCK_STACK_START) != start
        || words.getLong(at + HandlerLayout.BLOCK_STACK_END) != end) {
      setStack(block, start, end);
    }
  }

  /** Makes a block invalid: its thread has ended, or no signal of its timer can arrive any more. */
  public void closeBlock(int block) {
    LONGS.setRelease(
        blocks.bytes(), block * HandlerLayout.BLOCK_BYTES + HandlerLayout.BLOCK_MAGIC, 0L);
  }

  /** Bytes of the ring, a power of two. */
  public int ringBytes() {
    return (int) get(HandlerLayout.PROCESS_RING_BYTES);
  }

  /**
   * Releases the memory after sampling was disabled; the ring is unmapped if no thread is inside
   * the handler.
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
