package stackweave.agent.cli.common;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Supplier;
import stackweave.jfr.export.ShortNames;
import stackweave.jfr.export.TopExport;
import stackweave.jfr.read.ReadingProgress;

/**
 * A line on standard error on how far a command is, such as how much of a recording has been read;
 * shown only on a terminal, from a second on. Not thread-safe.
 */
public final class ProgressLine implements ReadingProgress, AutoCloseable {
  private static final long FIRST_AFTER_MILLIS = 1_000;
  private static final long AGAIN_AFTER_MILLIS = 200;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** A line that is longer than the terminal would not be erased. */
  private static final int COLUMNS = TopExport.USUAL_WIDTH - 1;

  /** Moves to the line's beginning, and erases the line. */
  private static final String EMPTY_LINE = "\r\033[K";

  private final PrintStream out;
  private final boolean isTerminal;
  private final long againAfterNanos;

  /** When it is next shown, by System.nanoTime(). */
  private long next;

  private boolean isShown;

  private ProgressLine(
      PrintStream out, boolean isTerminal, long firstAfterMillis, long againAfterMillis) {
    this.out = out;
    this.isTerminal = isTerminal;
    this.againAfterNanos = againAfterMillis * NANOS_PER_MILLI;
    this.next = System.nanoTime() + firstAfterMillis * NANOS_PER_MILLI;
  }

  /** For standard error. */
  public static ProgressLine begin() {
    return new ProgressLine(
        System.err, isTerminal(Path.of("/proc/self/fd/2")), FIRST_AFTER_MILLIS, AGAIN_AFTER_MILLIS);
  }

  /** For {@code out}, which is a terminal. */
  static ProgressLine on(PrintStream out, long firstAfterMillis, long againAfterMillis) {
    return new ProgressLine(out, true, firstAfterMillis, againAfterMillis);
  }

  /** By name: System.console() covers standard input and output only, and not on every JDK. */
  static boolean isTerminal(Path descriptor) {
    try {
      String device = Files.readSymbolicLink(descriptor).toString();
      return device.startsWith("/dev/pts/")
          || device.startsWith("/dev/tty")
          || device.equals("/dev/console");
    } catch (IOException e) {
      return false; // without /proc there is no line
    }
  }

  @Override
  public void read(long bytes, long ofBytes, long samples) {
    show(
        () ->
            String.format(
                Locale.ROOT, "reading: %d %%, %,d samples", 100 * bytes / ofBytes, samples));
  }

  /**
   * Shows a text in place of the one before, unless that is too new.
   *
   * @param text asked for only if it is shown; one line, which may be cut
   */
  public void show(Supplier<String> text) {
    if (isTerminal && System.nanoTime() - next >= 0) {
      next = System.nanoTime() + againAfterNanos;
      isShown = true;
      out.print(EMPTY_LINE + ShortNames.cut(Plain.line(text.get()), COLUMNS));
      out.flush();
    }
  }

  @Override
  public void close() {
    clear();
  }

  /** Removes it; {@link #show} may follow. */
  public void clear() {
    if (isShown) {
      isShown = false;
      out.print(EMPTY_LINE);
      out.flush();
    }
  }
}
