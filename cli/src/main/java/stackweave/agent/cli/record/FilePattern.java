package stackweave.agent.cli.record;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A name for the files of several recordings: {@code %p} is the process id, {@code %t} the time
 * when a recording began, {@code %n{8}} its number modulo 8, {@code %%} a {@code %}. {@code %p} and
 * {@code %t} are as in the JVM's own options. Immutable.
 */
final class FilePattern {
  private static final Pattern PARTS = Pattern.compile("%(?:([pt%])|n\\{(\\d{1,6})})");

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu_MM_dd_HH_mm_ss", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private final String pattern;

  /** A pattern of the user; {@link #problem} checks it. */
  FilePattern(String pattern) {
    this.pattern = pattern;
  }

  /** Why the pattern can't name the files of several recordings; empty if it can. */
  String problem() {
    List<MatchResult> parts = PARTS.matcher(pattern).results().toList();
    if (parts.stream().anyMatch(part -> part.group(2) != null && part.group(2).matches("0+"))) {
      return "%n{0} keeps no file";
    }
    boolean isDifferent =
        parts.stream().anyMatch(part -> "t".equals(part.group(1)) || part.group(2) != null);
    return isDifferent
        ? ""
        : "each recording would replace the one before: put %t (its time) or %n{8} (its number, the"
            + " last eight are kept) into the name";
  }

  /** The file of a recording. */
  Path file(long pid, long startMillis, long number) {
    Matcher parts = PARTS.matcher(pattern);
    return Path.of(
        parts.replaceAll(
            part -> {
              if (part.group(2) != null) {
                return Long.toString(number % Long.parseLong(part.group(2)));
              }
              return switch (part.group(1)) {
                case "p" -> Long.toString(pid);
                case "t" -> TIME.format(Instant.ofEpochMilli(startMillis));
                default -> "%";
              };
            }));
  }

  /**
   * As {@link #file}, or, unless old files are to be replaced, another name that is free: the local
   * times of one hour occur twice a year.
   */
  Path newFile(long pid, long startMillis, long number) {
    Path file = file(pid, startMillis, number);
    if (PARTS.matcher(pattern).results().anyMatch(part -> part.group(2) != null)) {
      return file;
    }
    String name = file.getFileName().toString();
    int end = name.lastIndexOf('.') > 0 ? name.lastIndexOf('.') : name.length();
    Path free = file;
    for (int i = 2; Files.exists(free, LinkOption.NOFOLLOW_LINKS); i++) {
      free = file.resolveSibling(name.substring(0, end) + "-" + i + name.substring(end));
    }
    return free;
  }
}
