package stackweave.agent.option;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Which threads are looked at, by name: by default all but those that the JDK starts for itself and
 * that wait nearly always. Immutable.
 */
public final class WallFilter {
  /** Includes the JVM's own threads. */
  public static final String ALL = "all";

  /** The valid values, as text for users. */
  public static final String SYNTAX =
      "names of threads with * for anything, separated by |, with ! before those to leave out;"
          + " all for the JVM's own threads, too";

  /** The filter without the option. */
  public static final WallFilter DEFAULT = new WallFilter(false, List.of(), List.of());

  private static final String SEPARATOR = "\\|";

  /** Threads of the JDK's Java code, JDK 17 to 27; all other threads of the JVM have no name. */
  private static final List<String> OWN =
      List.of(
          "Reference Handler",
          "Finalizer",
          "Signal Dispatcher",
          "Common-Cleaner",
          "Cleaner-*",
          "Attach Listener",
          "Notification Thread",
          "DestroyJavaVM",
          "JFR *",
          "JMX server connection timeout *",
          "process reaper*",
          "Read-Poller",
          "Write-Poller",
          "Read-Updater", // 21
          "Write-Updater", // 21
          "MasterPoller", // 25, 26
          "Master-Poller", // 27
          "VirtualThread-unparker*",
          "VirtualThread-unblocker", // 24 to 27
          "stackweave-*");

  private static final List<Pattern> OWN_PATTERNS = patterns(OWN);

  private final boolean jvm;
  private final List<Pattern> included;
  private final List<Pattern> excluded;

  private WallFilter(boolean jvm, List<Pattern> included, List<Pattern> excluded) {
    this.jvm = jvm;
    this.included = included;
    this.excluded = excluded;
  }

  /**
   * Parses the value of the option {@code wall-threads}.
   *
   * @return null if it is empty, or has an empty name
   */
  public static WallFilter parse(String text) {
    boolean jvm = false;
    List<String> included = new ArrayList<>();
    List<String> excluded = new ArrayList<>();
    for (String each : text.split(SEPARATOR, -1)) {
      String name = each.strip();
      if (name.isEmpty() || name.equals("!")) {
        return null;
      }
      if (name.equals(ALL)) {
        jvm = true;
      } else if (name.startsWith("!")) {
        excluded.add(name.substring(1));
      } else {
        included.add(name);
      }
    }
    return new WallFilter(jvm, patterns(included), patterns(excluded));
  }

  private static List<Pattern> patterns(List<String> names) {
    List<Pattern> patterns = new ArrayList<>();
    for (String name : names) {
      String regex = Pattern.quote(name).replace("*", "\\E.*\\Q");
      patterns.add(Pattern.compile(regex, Pattern.DOTALL));
    }
    return List.copyOf(patterns);
  }

  /** The filter of an option that was parsed before; empty: {@link #DEFAULT}. */
  public static WallFilter of(String option) {
    return option.isEmpty() ? DEFAULT : parse(option);
  }

  /** Whether the JVM's own threads are looked at, unless a name excludes them. */
  public boolean includesJvm() {
    return jvm;
  }

  /** Whether a thread of this name is looked at. */
  public boolean includes(String name) {
    if (matches(excluded, name)) {
      return false;
    }
    if (!included.isEmpty()) {
      return matches(included, name);
    }
    return jvm || !matches(OWN_PATTERNS, name);
  }

  private static boolean matches(List<Pattern> patterns, String name) {
    for (Pattern pattern : patterns) {
      if (pattern.matcher(name).matches()) {
        return true;
      }
    }
    return false;
  }
}
