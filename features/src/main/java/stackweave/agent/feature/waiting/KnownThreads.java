package stackweave.agent.feature.waiting;

import java.util.ArrayList;
import java.util.List;
import stackweave.unwind.hash.LongTable;

/**
 * Threads by their id in the OS, and by index for iteration: the last thread takes the index of one
 * that is removed. Allocates for a new thread only. For the drain thread only.
 */
final class KnownThreads<T extends KnownThread> {
  /** Most threads; further ones are not looked at. */
  private static final int MAX = 1 << 16;

  private static final int FIRST_SLOTS = 1 << 10;

  private final LongTable<T> byId = new LongTable<>(FIRST_SLOTS, MAX);
  private final List<T> all = new ArrayList<>();

  int size() {
    return all.size();
  }

  /** A thread by its position, which is below {@link #size}. */
  T get(int position) {
    return all.get(position);
  }

  /** A thread by its id in the OS, null if it is not known. */
  T find(int tid) {
    return byId.get(tid);
  }

  boolean isFull() {
    return all.size() == MAX;
  }

  /** Adds a thread that is not known. */
  void add(T thread) {
    thread.position = all.size();
    all.add(thread);
    byId.put(thread.tid, thread);
  }

  /** Removes a thread that has ended. */
  void remove(T thread) {
    T last = all.remove(all.size() - 1);
    if (last != thread) {
      last.position = thread.position;
      all.set(last.position, last);
    }
    thread.position = -1;
    byId.remove(thread.tid);
  }
}
