package stackweave.engine.timer.stack;

/**
 * What the three words of a thread's descriptor say that tell of its stack. Addresses are absolute,
 * sizes in bytes.
 */
enum StackWords {
  /** {@code stackblock}, {@code stackblock_size}, {@code guardsize} of glibc (nptl/descr.h). */
  GLIBC {
    @Override
    long start(long block, long size, long guard) {
      return block + guard;
    }

    @Override
    long end(long block, long size, long descriptor) {
      return descriptor & -ALIGNMENT;
    }

    @Override
    long blockEnd(long block, long size) {
      return block + size;
    }

    @Override
    boolean areSound(long block, long size, long guard, long descriptor) {
      return guard < size && descriptor > block + guard && descriptor < block + size;
    }
  },

  /**
   * {@code stack}, {@code stack_size}, {@code guard_size} of musl (src/internal/pthread_impl.h):
   * the end of the stack, below thread-local storage, and its size without the guard.
   */
  MUSL {
    @Override
    long start(long end, long size, long guard) {
      return end - size;
    }

    @Override
    long end(long end, long size, long descriptor) {
      return end & -ALIGNMENT;
    }

    @Override
    long blockEnd(long end, long size) {
      return end;
    }

    @Override
    boolean areSound(long end, long size, long guard, long descriptor) {
      return end > size;
    }
  };

  /** Of stack pointers. */
  private static final int ALIGNMENT = 16;

  private static final long MAX_STACK = 1L << 40;

  /** The lowest address of the stack, above its guard. */
  abstract long start(long first, long size, long guard);

  /** The first address above the stack. */
  abstract long end(long first, long size, long descriptor);

  /** The end of the stack as pthread_getattr_np says it. */
  abstract long blockEnd(long first, long size);

  /** Whether the words fit each other and the descriptor, besides their ranges. */
  abstract boolean areSound(long first, long size, long guard, long descriptor);

  /**
   * Whether the words can be those of a thread that the C library has started; the main thread's
   * are not.
   */
  boolean are(long first, long size, long guard, long descriptor) {
    return first > 0
        && size > 0
        && size < MAX_STACK
        && guard >= 0
        && areSound(first, size, guard, descriptor);
  }
}
