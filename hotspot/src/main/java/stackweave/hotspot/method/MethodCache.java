package stackweave.hotspot.method;

import stackweave.hotspot.code.Nmethod;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.hotspot.unloading.CheckRounds;
import stackweave.unwind.HeapShare;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;

/**
 * The methods that were read, by Method*; bounded by number and by the bytes of their copies, and
 * emptied when it is full. Failures to read are not remembered. A method is kept after its class
 * was unloaded, for samples that were taken before. Not thread-safe.
 */
public final class MethodCache {
  private static final int MAX_METHODS = HeapShare.of(24 << 10);

  private static final int FIRST_SLOTS = 1 << 10;
  private static final long MAX_BYTES = HeapShare.of(16 << 20);

  private final MethodReader reader;
  private final CheckRounds rounds;
  private final UnwindCounters counters;
  private final LongTable<JavaMethod> methods = new LongTable<>(FIRST_SLOTS, MAX_METHODS);
  private long bytes;

  /** Whether what is asked for may be freed memory: an address that nothing shows to be in use. */
  private boolean guessing;

  public MethodCache(MethodReader reader, CheckRounds rounds, UnwindCounters counters) {
    this.reader = reader;
    this.rounds = rounds;
    this.counters = counters;
  }

  /** The method that was at {@code address} at the sample's time, or null if none is known. */
  public JavaMethod find(long address) {
    JavaMethod method = findPresent(address);
    if (method == null) {
      // Its class was unloaded after the sample: while its code ran, it was there.
      JavaMethod gone = methods.get(address);
      return gone != null && gone.isLastThere(rounds) ? gone : null;
    }
    JavaMethod former = method.former();
    if (former != null && former.wasThere(rounds)) {
      return former;
    }
    return method.isSameSince(rounds) ? method : null;
  }

  /**
   * As {@link #find}, for a word that may be left over on the stack: it says nothing of whether the
   * method is still there.
   */
  public JavaMethod findGuessed(long address) {
    guessing = true;
    try {
      return find(address);
    } finally {
      guessing = false;
    }
  }

  /** Whether {@code bcp} lies in the bytecodes of the method that may be at {@code address}. */
  public boolean hasBytecodeAt(long address, long bcp) {
    JavaMethod method = findGuessed(address);
    return method != null && method.hasBytecodeAt(bcp);
  }

  /** The method that is at {@code address} now, or null if there is none. */
  public JavaMethod findPresent(long address) {
    JavaMethod known = methods.get(address);
    return known != null && isPresent(known) ? known : readInPlaceOf(known, address);
  }

  private JavaMethod readInPlaceOf(JavaMethod known, long address) {
    int round = rounds.current();
    JavaMethod method = readNow(address);
    if (method != null && round != rounds.current()) {
      // Classes were unloaded, perhaps between the reading of a page and its use.
      method = readNow(address);
    }
    if (method == null) {
      return null;
    }
    if (!method.isLinked()) {
      return method; // what is read of its class may be older than what runs
    }
    if (known != null) {
      method.setFormer(known);
    }
    if (bytes + method.weight() > MAX_BYTES) {
      methods.clear();
      reset();
    }
    if (methods.put(address, method)) {
      reset();
    }
    bytes += method.weight();
    return method;
  }

  private void reset() {
    bytes = 0;
    counters.cacheResets++;
  }

  /**
   * The method that compiled code, which is still there, names at {@code address}, or null. Its own
   * class, and those of what it inlines, are not unloaded before the code is: a copy that was seen
   * since the code was first seen is valid; an older one is compared now.
   *
   * @param live whether what the code names is known not to be freed. If not, the copy is not
   *     trusted later: the code may be dead, and its methods' memory be reused without another
   *     unloading
   */
  public JavaMethod findNamedBy(Nmethod code, long address, boolean live) {
    JavaMethod known = methods.get(address);
    if (known != null && known.lastSeen() >= code.firstSeen()) {
      return known;
    }
    guessing = !live;
    try {
      return known != null && isInPlace(known) ? known : readInPlaceOf(known, address);
    } finally {
      guessing = false;
    }
  }

  /** Whether it is still there: if no unloading freed it, only a redefinition replaces it. */
  private boolean isInPlace(JavaMethod known) {
    if (!known.isUnfreed(rounds)) {
      return isUnchanged(known);
    }
    try {
      if (reader.hasSameBody(known)) {
        known.setUnchanged(rounds);
        return true;
      }
    } catch (UnreadableMemoryException e) {
      // It is read anew.
    }
    counters.identityFailures++;
    return false;
  }

  private boolean isPresent(JavaMethod known) {
    if (known.isUnfreed(rounds)) {
      known.setUnchanged(rounds);
      return true;
    }
    return rounds.isCheckEnough() && known.isChecked(rounds) || isUnchanged(known);
  }

  private boolean isUnchanged(JavaMethod known) {
    try {
      if (reader.isUnchanged(known)) {
        known.setCompared(rounds);
        distrustGuess(known);
        return true;
      }
    } catch (UnreadableMemoryException e) {
      // Its class was unloaded and the memory given back.
    }
    counters.identityFailures++;
    return false;
  }

  private void distrustGuess(JavaMethod method) {
    if (guessing) {
      method.distrust();
    }
  }

  private JavaMethod readNow(long address) {
    counters.methodsRead++;
    try {
      JavaMethod method = reader.read(address);
      if (method != null) {
        method.setRead(rounds);
        distrustGuess(method);
      }
      return method;
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }
}
