package stackweave.jfr.event;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a library in frames: its file name without parts that its loader generated for one
 * run. Java libraries extract their native code at each start into a file with a new name: {@code
 * File.createTempFile} inserts an unsigned 64-bit number, others a UUID; with that, no frame of one
 * recording would be found in the next. Versions stay, and the names of system libraries, which are
 * not extracted. Thread-safe.
 */
public final class LibraryName {
  private static final String UUID =
      "(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])";

  /** A random 64-bit number in hexadecimal, before the library's own name: jansi and jline. */
  private static final String HEX_NUMBER = "(?<=-)[0-9a-f]{14,16}(?=-lib)";

  /** The text before the 64 of a processor's name, as in {@code x86_64}. */
  private static final String PROCESSOR =
      "(?<=(?<![A-Za-z0-9])(?:x86_|amd|x|aarch_?|arm|ppc_?|ppcle_|s390_|riscv_?|loongarch_?|linux))";

  /**
   * A random 64-bit number, possibly right after a processor's name. 1 of 180,000 has fewer than 15
   * digits; a date with time, which can be a version, has 14. Digits of a version right before it
   * can't be told from it and are removed as well: zstd-jni 1.5.7-28 is 1.5.7 here.
   */
  private static final String NUMBER = "(?<![0-9])(?:(" + PROCESSOR + "64)[0-9]{12,}|[0-9]{15,})";

  private static final Pattern RANDOM = Pattern.compile(UUID + "|" + HEX_NUMBER + "|" + NUMBER);

  /**
   * Paths of system libraries. Not all of /usr, since servers have temporary directories in
   * /usr/local.
   */
  private static final Pattern SYSTEM =
      Pattern.compile("/(?:usr/)?(?:lib|lib32|lib64|libx32|libexec)/");

  private LibraryName() {}

  /**
   * The name of the library that is mapped from a path: {@code librocksdbjni.so} for {@code
   * /tmp/librocksdbjni10162033771412059837.so}.
   *
   * @param path a path, or a name in brackets such as {@code [vdso]}
   * @return the file's whole name where no other would be left
   */
  public static String of(String path) {
    String file = path.substring(path.lastIndexOf('/') + 1);
    if (SYSTEM.matcher(path).lookingAt()) {
      return file;
    }
    Matcher random = RANDOM.matcher(file);
    StringBuilder name = new StringBuilder();
    int end = 0;
    while (random.find()) {
      name.append(file, end, random.end(1) < 0 ? random.start() : random.end(1));
      end = random.end();
      if (end < file.length() && !isSeparator(file.charAt(end))) {
        continue;
      }
      // One of the separators on both sides is the loader's.
      if (name.length() > 0) {
        int last = name.length() - 1;
        name.setLength(isSeparator(name.charAt(last)) ? last : last + 1);
      } else if (end == file.length() || file.charAt(end) == '.') {
        return file;
      } else {
        end++;
      }
    }
    return name.append(file, end, file.length()).toString();
  }

  private static boolean isSeparator(char c) {
    return c == '-' || c == '_' || c == '.';
  }
}
