package stackweave.agent.decode.splice;

import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.OlderStack;
import stackweave.unwind.snapshot.SpliceOutcome;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.CodeModules;
import stackweave.unwind.walk.Found;

/**
 * Unwinds a sample whose stack may be deeper than its copy. The older part of the stack is read
 * from the thread's live stack, later than the sample, and spliced to the copy. It is discarded
 * unless it can be shown to belong to the sample; the stack then ends where the copy ends. Called
 * by {@code SamplePipeline} for each sample; allocates nothing for a warm stack. For the drain
 * thread only.
 */
public final class SplicingUnwinder {
  private final MixedUnwinder unwinder;
  private final FrameBuffer frames;
  private final OlderStack older;
  private final long[] outcomes;
  private final Steadiness steadiness = new Steadiness();
  private int framesOfCopy;
  private long guessesOfCopy;
  private long deepNanos = System.nanoTime() - Long.MAX_VALUE / 2;

  /**
   * @param frames receives the frames of each stack
   * @param memory reads the thread's live stack
   * @param whereabouts tells how far the thread has returned since its sample
   * @param outcomes counts stacks by the ordinal of their {@link SpliceOutcome}
   */
  public SplicingUnwinder(
      MixedUnwinder unwinder,
      FrameBuffer frames,
      MemoryReader memory,
      OlderStack.Whereabouts whereabouts,
      long[] outcomes) {
    this.unwinder = unwinder;
    this.frames = frames;
    this.outcomes = outcomes;
    this.older = new OlderStack(memory, whereabouts, this::olderTaken);
  }

  /** The first address that the last stack needed beyond its copy; 0 if none. */
  public long olderFrom() {
    return older.firstAsked();
  }

  /** When the older part of a stack was last read, by {@link System#nanoTime}. */
  public long deepNanos() {
    return deepNanos;
  }

  /**
   * Unwinds a sample into the frame buffer.
   *
   * @param stackEnd the address above the thread's stack, 0 if not known
   * @return why the stack ends where it does
   */
  public StopReason unwind(StackSnapshot snapshot, CodeModules modules, long stackEnd) {
    older.begin(snapshot, stackEnd);
    unwinder.unwind(snapshot, modules, frames);
    if (older.outcome() == SpliceOutcome.COPIED && frames.end() == StopReason.TRUNCATED) {
      // A page is missing.
      snapshot.olderCopy().clear();
      older.begin(snapshot, stackEnd);
      unwinder.unwind(snapshot, modules, frames);
    }
    if (older.outcome() != SpliceOutcome.NOT_NEEDED && older.outcome() != SpliceOutcome.COPIED) {
      deepNanos = System.nanoTime();
    }
    if (older.outcome() == SpliceOutcome.TAKEN) {
      SpliceOutcome refusal = refusal(snapshot);
      if (refusal != null) {
        older.refuse(refusal);
        unwinder.unwind(snapshot, modules, frames);
      } else if (!isSure(snapshot)) {
        older.guess();
        frames.guess(framesOfCopy, Found.READ_LATER);
      }
    }
    outcomes[older.outcome().ordinal()]++;
    StopReason end = frames.end();
    if (end.hasGuesses()) {
      return end;
    }
    return switch (older.outcome()) {
      case TAKEN -> end == StopReason.TOO_DEEP ? StopReason.SPLICED_TOO_DEEP : StopReason.SPLICED;
      case GUESSED -> end == StopReason.TOO_DEEP ? end : StopReason.GUESSED;
      default -> end;
    };
  }

  /** Called when the walk leaves the copy: later frames are of the older part. */
  private void olderTaken() {
    framesOfCopy = frames.count();
    guessesOfCopy = unwinder.guesses();
  }

  /** Why the older part must be discarded, or null if it may stay. */
  private SpliceOutcome refusal(StackSnapshot snapshot) {
    StopReason end = frames.end();
    boolean leads = end.isComplete() || end == StopReason.TOO_DEEP;
    if (!leads || unwinder.guesses() != guessesOfCopy || hasUnknownFrames()) {
      return SpliceOutcome.NO_ROOT;
    }
    if (!older.confirm()) {
      return older.outcome();
    }
    return null;
  }

  /** Whether the part that was read later is certainly the sample's. */
  private boolean isSure(StackSnapshot snapshot) {
    return !older.isLargeFrame()
        && steadiness.isSteady(
            snapshot.tid(),
            frames,
            frames.count() - framesOfCopy,
            snapshot.timeNanos(),
            System.nanoTime());
  }

  private boolean hasUnknownFrames() {
    for (int i = framesOfCopy; i < frames.count(); i++) {
      if (frames.kind(i) == FrameKind.UNKNOWN) {
        return true;
      }
    }
    return false;
  }
}
