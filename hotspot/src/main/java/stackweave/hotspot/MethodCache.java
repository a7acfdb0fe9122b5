package stackweave.hotspot;

import stackweave.unwind.UnreadableMemoryException;

/**
 * Methods by Method*, bounded: a full cache is emptied. What could not be read is never remembered.
 */
final class MethodCache {
  private static final int CAPACITY = 1 << 15;

  private final MethodReader reader;
  private final CheckRounds rounds;
  private final HotSpotStatistics statistics;
  private final LongTable<JavaMethod> methods = new LongTable<>(CAPACITY);

  MethodCache(MethodReader reader, CheckRounds rounds, HotSpotStatistics statistics) {
    this.reader = reader;
    this.rounds = rounds;
    this.statistics = statistics;
  }

  /** The method at {@code address}, or null if there is none. */
  JavaMethod find(long address) {
    JavaMethod known = methods.get(address);
    if (known != null && (known.checkedIn() == rounds.current() || isUnchanged(known))) {
      return known;
    }
    JavaMethod method = read(address);
    if (method == null) {
      methods.remove(address);
      return null;
    }
    method.setCheckedIn(rounds.current());
    if (methods.put(address, method)) {
      statistics.cacheResets++;
    }
    return method;
  }

  private boolean isUnchanged(JavaMethod known) {
    try {
      if (reader.isUnchanged(known)) {
        known.setCheckedIn(rounds.current());
        return true;
      }
    } catch (UnreadableMemoryException e) {
      // Its class was unloaded and the memory given back.
    }
    statistics.identityFailures++;
    return false;
  }

  private JavaMethod read(long address) {
    statistics.methodsRead++;
    try {
      return reader.read(address);
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }
}
