package stackweave.agent.engine;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.Randomness;
import stackweave.agent.linux.SelfMemory;
import stackweave.agent.linux.SystemCalls;
import stackweave.maps.Mapping;
import stackweave.maps.ProcMaps;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The memory that the signal handler runs in and works on: its code, the process block, the thread
 * blocks, the ring.
 *
 * <p>Made once in the life of the process and never unmapped, however often sampling starts and
 * stops: a thread may be inside the handler at any time, and how long it stays there is the
 * scheduler's affair. Between two engines the ring's pages are given back to the kernel; what
 * remains is address space. An agent that is attached after another one was detached finds and uses
 * what that one has left behind.
 */
final class HandlerMemory {
  /** Bytes of the ring: 1.6 s of 100 samples a second of 100 KiB each, or 64 of the deepest. */
  static final int RING_BYTES = 16 << 20;

  /** The most threads that are sampled at a time. */
  static final int BLOCKS = 1 << 16;

  private static final int BLOCKS_BYTES = BLOCKS * HandlerLayout.BLOCK_BYTES;
  private static final long FREE = 0;
  private static final long IN_USE = 1;

  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static HandlerMemory instance;

  private final NativeBuffer process;
  private final NativeBuffer blocks;
  private final NativeBuffer ring;
  private final long code;
  private final long magic;

  private HandlerMemory(
      NativeBuffer process, NativeBuffer blocks, NativeBuffer ring, long code, long magic) {
    this.process = process;
    this.blocks = blocks;
    this.ring = ring;
    this.code = code;
    this.magic = magic;
  }

  /**
   * The process's one, for an engine to use until {@link #release}.
   *
   * @throws EngineRefusedException if another engine has it, or the kernel doesn't grant it
   */
  static synchronized HandlerMemory acquire(SystemCalls calls, CallPolicy policy)
      throws EngineRefusedException {
    if (instance == null) {
      HandlerLayout layout = HandlerLayout.of(calls.architecture());
      instance = find(layout);
      if (instance == null) {
        instance = create(calls, policy, layout);
      }
    }
    if (!LONGS.compareAndSet(
        instance.process.bytes(), HandlerLayout.PROCESS_IN_USE, FREE, IN_USE)) {
      throw TimerRefusals.inUse();
    }
    return instance;
  }

  /** What classes that are gone have left behind: memory with this very code; null if none. */
  private static HandlerMemory find(HandlerLayout layout) {
    byte[] code = HandlerCode.read(layout);
    try (SelfMemory memory = new SelfMemory()) {
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
    long ring = memory.readLong(process + HandlerLayout.PROCESS_RING);
    if (memory.readLong(process + HandlerLayout.PROCESS_BLOCKS_BYTES) != BLOCKS_BYTES
        || memory.readLong(process + HandlerLayout.PROCESS_RING_BYTES) != RING_BYTES) {
      return null;
    }
    return new HandlerMemory(
        NativeBuffer.view(process, HandlerLayout.PROCESS_BYTES),
        NativeBuffer.view(blocks, BLOCKS_BYTES),
        NativeBuffer.view(ring, 2L * RING_BYTES),
        code,
        memory.readLong(process + HandlerLayout.PROCESS_MAGIC));
  }

  private static HandlerMemory create(SystemCalls calls, CallPolicy policy, HandlerLayout layout)
      throws EngineRefusedException {
    NativeBuffer ring = HandlerCode.mapRing(calls, policy, RING_BYTES);
    NativeBuffer process = allocate(HandlerLayout.PROCESS_BYTES);
    NativeBuffer blocks = allocate(BLOCKS_BYTES);
    long magic = Randomness.next() | 1;
    ByteBuffer words = process.bytes();
    words.putLong(HandlerLayout.PROCESS_RING, ring.address());
    words.putLong(HandlerLayout.PROCESS_RING_BYTES, RING_BYTES);
    words.putLong(HandlerLayout.PROCESS_BLOCKS, blocks.address());
    words.putLong(HandlerLayout.PROCESS_BLOCKS_BYTES, BLOCKS_BYTES);
    words.putLong(HandlerLayout.PROCESS_MAGIC, magic);
    words.putLong(HandlerLayout.PROCESS_CLOCK, Libc.vdsoFunction(layout.clock()));
    boolean installed = false;
    try {
      long code = HandlerCode.install(calls, policy, layout, process.address());
      installed = true;
      return new HandlerMemory(process, blocks, ring, code, magic);
    } finally {
      if (!installed) {
        process.close();
        blocks.close();
        ring.close();
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
  ByteBuffer ring() {
    return ring.bytes();
  }

  /** A word of the process block, with what handlers have written before it. */
  long get(int offset) {
    return (long) LONGS.getAcquire(process.bytes(), offset);
  }

  /** Sets a word of the process block, behind all that was written before it. */
  void set(int offset, long value) {
    LONGS.setVolatile(process.bytes(), offset, value);
    VarHandle.fullFence();
  }

  /** The address that a timer's signal carries. */
  long blockAddress(int block) {
    return blocks.address() + (long) block * HandlerLayout.BLOCK_BYTES;
  }

  /** Makes a block valid, for a thread whose stack is not known yet. */
  void openBlock(int block, long identity) {
    int at = block * HandlerLayout.BLOCK_BYTES;
    setStack(block, 0, 0);
    blocks.bytes().putLong(at + HandlerLayout.BLOCK_IDENTITY, identity);
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_MAGIC, magic);
  }

  /** What the samples from here on carry. */
  void setIdentity(int block, long identity) {
    int at = block * HandlerLayout.BLOCK_BYTES;
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_IDENTITY, identity);
  }

  /** The handler reads the end first: as long as that is 0, it copies nothing. */
  void setStack(int block, long start, long end) {
    int at = block * HandlerLayout.BLOCK_BYTES;
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_STACK_END, 0L);
    VarHandle.fullFence();
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_STACK_START, start);
    LONGS.setRelease(blocks.bytes(), at + HandlerLayout.BLOCK_STACK_END, end);
  }

  /** Makes a block invalid: its thread has ended, or no signal of ours can come any more. */
  void closeBlock(int block) {
    LONGS.setRelease(
        blocks.bytes(), block * HandlerLayout.BLOCK_BYTES + HandlerLayout.BLOCK_MAGIC, 0L);
  }

  /** Gives the ring's memory back to the kernel; its contents are 0 afterwards. */
  void release() {
    Libc.madvise(ring.address(), RING_BYTES, Libc.MADV_REMOVE);
    set(HandlerLayout.PROCESS_IN_USE, FREE);
  }
}
