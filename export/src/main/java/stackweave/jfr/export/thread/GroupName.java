package stackweave.jfr.export.thread;

import java.util.HashSet;
import java.util.Set;
import stackweave.jfr.read.StackThread;

/** The threads of one row of a table, and the row's name. Not thread-safe. */
public final class GroupName {
  /** Stands for all virtual threads without a name, of which there may be thousands. */
  private static final ThreadKey NAMELESS = new ThreadKey("", new StackThread("", 0, 0, true, 0));

  private final String folded;
  private final CommonName names;
  private final Set<ThreadKey> threads = new HashSet<>();

  GroupName(String folded, String first) {
    this.folded = folded;
    this.names = new CommonName(first);
  }

  void add(ThreadKey key, StackThread thread) {
    names.add(thread.text());
    threads.add(thread.isVirtual() && thread.name().isEmpty() ? NAMELESS : key);
  }

  /** The number of threads; 1 for virtual threads without a name. */
  public int threads() {
    return threads.size();
  }

  /** The only name, or the common beginning of a single thread's names; else the group's. */
  public String text() {
    String name = threads.size() == 1 || !names.isSeveral() ? names.text() : folded;
    return threads.size() == 1 ? name : name + " (" + threads.size() + " threads)";
  }
}
