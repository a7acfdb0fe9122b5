package stackweave.lab.overhead;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What samples the JVM during a window. */
enum WindowKind {
  /** The agent is attached and does not sample: what all others are compared with. */
  DORMANT("agent dormant"),
  /** The agent is detached. */
  ABSENT("no agent"),
  /** A JFR recording that asks for no event at all. */
  JFR("empty JFR recording"),
  STACKWEAVE("Stackweave"),
  /**
   * With its default options: frames of the JVM and of C below Java are left out ({@code
   * cstack=vm}).
   */
  ASYNC("async-profiler 4.6, `cstack=vm` (default)"),
  /** Native and Java frames through the whole stack ({@code cstack=vmx}), as the agent has them. */
  ASYNC_VMX("async-profiler 4.6, `cstack=vmx`"),
  /** Workers use 2 % more CPU time for the same work: a measurement must find it. */
  BURN("2 % burnt on purpose");

  private final String title;

  WindowKind(String title) {
    this.title = title;
  }

  /** In tables. */
  String title() {
    return title;
  }

  /** On the command line and in file names. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it leaves a recording with samples. */
  boolean samples() {
    return this == STACKWEAVE || this == ASYNC || this == ASYNC_VMX;
  }

  static WindowKind of(String label) {
    return Arrays.stream(values())
        .filter(kind -> kind.label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no kind of window is named " + label));
  }

  static String list(List<WindowKind> kinds) {
    return kinds.stream().map(WindowKind::label).collect(Collectors.joining(","));
  }

  static List<WindowKind> listOf(String text) {
    return text.isEmpty() ? List.of() : Arrays.stream(text.split(",")).map(WindowKind::of).toList();
  }
}
