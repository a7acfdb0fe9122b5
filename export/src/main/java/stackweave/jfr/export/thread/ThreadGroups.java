package stackweave.jfr.export.thread;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.StackThread;

/**
 * Groups threads of pools by their names: threads whose names differ only in digits are one group.
 * If a thread was renamed, only the part of its name, and of equal ones, before the first blank or
 * question mark counts, since the rest names its task. So two kinds of threads whose names begin
 * with the same word are one group if one of them is renamed. Not thread-safe.
 */
public final class ThreadGroups {
  /** Digits, but not those of C1, C2 and G1, which are names. */
  private static final Pattern DIGITS = Pattern.compile("(?<!^[A-Z])\\d+");

  private static final Pattern WORK = Pattern.compile("(?<=.)[ ?].*", Pattern.DOTALL);

  /** Names of groups with renamed threads. */
  private final Set<String> renamed = new HashSet<>();

  private final Map<String, GroupName> groups = new HashMap<>();

  /** The groups of a profile's threads. */
  public ThreadGroups(Profile profile) {
    Map<ThreadKey, String> names = new HashMap<>();
    profile.forEachStackSum(
        (sum, series) -> {
          StackThread thread = sum.thread();
          if (thread.name().isEmpty()) {
            return;
          }
          String other = names.putIfAbsent(ThreadKey.of(sum.session(), thread), thread.name());
          if (other != null && !other.equals(thread.name())) {
            renamed.add(pool(other));
            renamed.add(pool(thread.name()));
          }
        });
  }

  /**
   * The name of a thread's group: with {@code #} for digits, and without what names the task of
   * renamed threads. Equal in all recordings, but for threads that are renamed in some only.
   */
  public String folded(StackThread thread) {
    String pool = pool(thread.text());
    return renamed.contains(pool) ? pool : withoutDigits(thread.text());
  }

  /** Adds the thread of a sum to its group. */
  public GroupName add(SampleSum sum) {
    String first = sum.thread().text();
    GroupName group =
        groups.computeIfAbsent(folded(sum.thread()), folded -> new GroupName(folded, first));
    group.add(ThreadKey.of(sum.session(), sum.thread()), sum.thread());
    return group;
  }

  private static String pool(String name) {
    return withoutDigits(WORK.matcher(name).replaceFirst(""));
  }

  private static String withoutDigits(String name) {
    return DIGITS.matcher(name).replaceAll("#");
  }
}
