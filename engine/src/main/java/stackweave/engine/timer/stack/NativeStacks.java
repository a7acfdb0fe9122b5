package stackweave.engine.timer.stack;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import stackweave.engine.ThreadStack;
import stackweave.engine.ThreadStacks;
import stackweave.linux.CallPolicy;
import stackweave.linux.Libc;
import stackweave.linux.MemoryAccess;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Finds the stacks of threads with the guarantee of {@link ThreadStacks}; a thread in doubt gets
 * none. The bounds are those in the C library's descriptor ({@link ThreadDescriptors}), or else the
 * VM's for its Java threads; not those of the mapping, since neighbouring mappings merge. The main
 * thread's stack is the mapping {@code [stack]}. All of it must be mapped readable, writable,
 * private and anonymous; what lies below a gap is left out. No such proof is needed if the C
 * library and the VM agree. Costs 3 µs a thread, and one reading of /proc/self/maps per call, some
 * 200 µs. Used by the timer engine's discovery; not thread-safe.
 */
public final class NativeStacks implements ThreadStacks, AutoCloseable {
  private static final int CHUNK = 16 * 1024;
  private static final int LINE_BYTES = 512;

  /** Smaller stacks may have no room for the signal's frame, 3 to 11 KiB (docs/engines.md). */
  private static final long SMALL_STACK_BYTES = 128 * 1024;

  private static final byte[] FIRST_STACK = {'[', 's', 't', 'a', 'c', 'k', ']'};

  private final int pid = Libc.getpid();
  private final ThreadDescriptors descriptors;
  private final NativeBuffer file = NativeBuffer.path("/proc/self/maps");
  private final NativeBuffer chunk = NativeBuffer.allocate(CHUNK);
  private final byte[] line = new byte[LINE_BYTES];
  private int lineLength;

  /** Stacks that are to be proved, sorted by address. */
  private final List<Proof> proofs = new ArrayList<>();

  private boolean mapsRead;
  private int firstOfLine;

  /** The process's main thread, or null. */
  private ThreadStack first;

  /** A stack, and the mapped part of it that was found so far. */
  private static final class Proof implements Comparable<Proof> {
    private final ThreadStack thread;
    private long start;
    private long end;

    Proof(ThreadStack thread) {
      this.thread = thread;
    }

    @Override
    public int compareTo(Proof other) {
      return Long.compareUnsigned(thread.start(), other.thread.start());
    }

    /** Adds a mapping of the stack; a gap discards what lies below. */
    void extend(long mappedStart, long mappedEnd) {
      if (end != mappedStart || end == 0) {
        start = Math.max(thread.start(), mappedStart);
      }
      end = mappedEnd;
    }

    /** Sets the thread's bounds to what is proved. */
    void end() {
      boolean whole = thread.end() != 0 && end >= thread.end() && start < thread.end();
      thread.set(whole ? start : 0, whole ? thread.end() : 0);
    }
  }

  /**
   * @param policy which guarded calls this thread may make
   * @param access how the process reads its own memory
   */
  public NativeStacks(SystemCalls calls, CallPolicy policy, MemoryAccess access) {
    this.descriptors = new ThreadDescriptors(calls, policy, access);
  }

  /** Whether stacks are known from the C library; if not, the VM's answer is needed. */
  public boolean knowsThreads() {
    return descriptors.areKnown();
  }

  /** Whether {@link #find} could read the mappings, or needn't; if not, it found no stack. */
  public boolean readMaps() {
    return mapsRead;
  }

  /** Whether a thread's stack can be known. */
  public boolean knows(int tid) {
    return tid == pid || descriptors.find(tid);
  }

  /**
   * {@inheritDoc}
   *
   * @param threads with the VM's bounds, if it has started them
   */
  @Override
  public void find(List<ThreadStack> threads) {
    descriptors.look(threads);
    proofs.clear();
    first = null;
    mapsRead = true;
    for (int i = 0; i < threads.size(); i++) {
      ThreadStack thread = threads.get(i);
      thread.setSmall(false);
      if (thread.tid() == pid) {
        thread.set(0, 0);
        first = thread;
      } else if (!look(i, thread) && thread.end() != 0) {
        proofs.add(new Proof(thread));
      }
    }
    if (!proofs.isEmpty() || first != null) {
      proveByMaps();
    }
  }

  /** Fills in the C library's bounds; returns whether the VM says the same. */
  private boolean look(int i, ThreadStack thread) {
    if (!descriptors.areKnown()) {
      return false;
    }
    if (!descriptors.read(i)) {
      thread.set(0, 0);
      return false;
    }
    long start = thread.start();
    long end = descriptors.end();
    thread.setSmall(end - descriptors.start() < SMALL_STACK_BYTES);
    boolean agreed =
        thread.end() == descriptors.blockEnd() && start >= descriptors.start() && start < end;
    thread.set(agreed ? start : descriptors.start(), end);
    return agreed;
  }

  private void proveByMaps() {
    Collections.sort(proofs);
    firstOfLine = 0;
    int fd = Libc.openat(Libc.AT_FDCWD, file.address(), Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
    mapsRead = fd >= 0;
    lineLength = 0;
    for (int length = read(fd); length > 0; length = read(fd)) {
      ByteBuffer bytes = chunk.bytes();
      for (int i = 0; i < length; i++) {
        byte b = bytes.get(i);
        if (b == '\n') {
          mapping();
          lineLength = 0;
        } else if (lineLength < line.length) {
          line[lineLength++] = b;
        }
      }
    }
    if (fd >= 0) {
      Libc.close(fd);
    }
    for (Proof proof : proofs) {
      proof.end();
    }
  }

  private int read(int fd) {
    return fd < 0 ? 0 : (int) Libc.read(fd, chunk.address(), CHUNK);
  }

  /** One line of maps: {@code start-end rwxp offset device inode path}. */
  private void mapping() {
    int at = 0;
    long start = 0;
    for (; at < lineLength && line[at] != '-'; at++) {
      start = start << 4 | Character.digit(line[at], 16);
    }
    long end = 0;
    for (at++; at < lineLength && line[at] != ' '; at++) {
      end = end << 4 | Character.digit(line[at], 16);
    }
    if (at + 4 >= lineLength
        || line[at + 1] != 'r'
        || line[at + 2] != 'w'
        || line[at + 4] != 'p'
        || !isAnonymous(at + 5)) {
      return;
    }
    if (first != null && isFirstStack()) {
      first.set(start, end);
    }
    for (int k = firstOfLine; k < proofs.size(); k++) {
      Proof proof = proofs.get(k);
      if (Long.compareUnsigned(proof.thread.start(), end) >= 0) {
        break;
      } else if (Long.compareUnsigned(proof.thread.end(), start) <= 0) {
        firstOfLine += k == firstOfLine ? 1 : 0;
      } else {
        proof.extend(start, end);
      }
    }
  }

  /** Whether device and inode are none: {@code 00000000 00:00 0 }. */
  private boolean isAnonymous(int from) {
    int field = 0;
    boolean zero = true;
    for (int at = from; at < lineLength && field <= 3; at++) {
      if (line[at] == ' ') {
        field++;
      } else if (field >= 2 && field <= 3 && line[at] != '0' && line[at] != ':') {
        zero = false;
      }
    }
    return zero;
  }

  private boolean isFirstStack() {
    int from = lineLength - FIRST_STACK.length;
    return from > 0 && Arrays.equals(line, from, lineLength, FIRST_STACK, 0, FIRST_STACK.length);
  }

  @Override
  public void close() {
    descriptors.close();
    chunk.close();
    file.close();
  }
}
