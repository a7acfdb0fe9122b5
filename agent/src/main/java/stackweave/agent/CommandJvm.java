package stackweave.agent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;

/**
 * The JVM of a command that samples other processes: a small one, so that what it takes from the
 * machine does not depend on its size. A user starts it with the usual heap, a quarter of the
 * memory; so the process executes itself once more with other options. Arguments, environment,
 * terminal and process id stay. It has low priority from when it samples: a start of low priority
 * takes many seconds on a busy machine. Stateless.
 */
final class CommandJvm {
  /** Marks the JVM that was started with {@link #OPTIONS}. */
  private static final String MARK = "-Dstackweave.command=small";

  /**
   * C1 alone compiles, as it does the agent's classes in an application: C2 needs 50 MB and more.
   */
  private static final List<String> OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "-Xms32m",
          "-Xss512k",
          "-XX:TieredStopAtLevel=1",
          "-XX:ReservedCodeCacheSize=32m",
          "-XX:MaxMetaspaceSize=64m");

  private static final String HEAP = "-Xmx128m";

  /** With {@code --all}: 64 JVMs take 2 to 4 MB each. */
  private static final String HEAP_OF_MANY = "-Xmx384m";

  /** With such options the user decides. */
  private static final Pattern OF_USER =
      Pattern.compile("-Xm[sxn].*|-XX:.*(GC|Heap|RAM|Metaspace|CodeCache|Tiered).*|-Xint|-Xcomp");

  private static final List<String> VARIABLES =
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  private static final int NICE = 5;
  private static final int PRIO_PROCESS = 0;
  private static final int F_SETFD = 2;
  private static final int FD_CLOEXEC = 1;

  private CommandJvm() {}

  /**
   * Starts the process again with a small JVM, unless it has one or the user chose its memory.
   * Returns if so, or if that is not possible; then the command runs as it is.
   */
  static void renew() {
    try {
      List<byte[]> words = words("/proc/self/cmdline");
      if (words.size() < 2 || isNamed(words, MARK)) {
        return;
      }
      List<byte[]> renewed = new ArrayList<>(words);
      renewed.add(1, bytes(MARK));
      if (!isChosenByUser(words)) {
        OPTIONS.forEach(option -> renewed.add(1, bytes(option)));
        renewed.add(1, bytes(isNamed(words, "--all") ? HEAP_OF_MANY : HEAP));
      }
      closeOwnFilesAtExec();
      execute(renewed, words("/proc/self/environ"));
    } catch (IOException | RuntimeException | LinkageError e) {
      return; // a large JVM does the same
    }
  }

  /** Gives all threads the low priority, which those that they start have, too. */
  static void lowerPriority() {
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path thread : threads) {
        int tid = Integer.parseInt(thread.getFileName().toString());
        if (Libc.getpriority(PRIO_PROCESS, tid) < NICE) {
          Libc.setpriority(PRIO_PROCESS, tid, NICE);
        }
      }
    } catch (IOException e) {
      return; // it samples all the same
    }
  }

  private static byte[] bytes(String option) {
    return option.getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(byte[] word) {
    return new String(word, StandardCharsets.ISO_8859_1);
  }

  /** The words of a file in /proc, as bytes: their encoding is the user's. */
  private static List<byte[]> words(String file) throws IOException {
    List<byte[]> words = new ArrayList<>();
    ByteArrayOutputStream word = new ByteArrayOutputStream();
    for (byte each : Files.readAllBytes(Path.of(file))) {
      if (each == 0) {
        words.add(word.toByteArray());
        word.reset();
      } else {
        word.write(each);
      }
    }
    return words;
  }

  private static boolean isNamed(List<byte[]> words, String name) {
    return words.stream().anyMatch(word -> text(word).equals(name));
  }

  private static boolean isChosenByUser(List<byte[]> words) {
    List<String> options = new ArrayList<>();
    for (byte[] word : words) {
      if (text(word).equals("-jar")) {
        break; // what follows are the command's
      }
      options.add(text(word));
    }
    for (String variable : VARIABLES) {
      String value = System.getenv(variable);
      options.addAll(value == null ? List.of() : List.of(value.split("\\s+")));
    }
    return options.stream().anyMatch(OF_USER.asMatchPredicate());
  }

  /** The JDK opens jars so that they stay open; those that the user has opened must stay open. */
  private static void closeOwnFilesAtExec() throws IOException {
    String home = Path.of(System.getProperty("java.home")).toRealPath().toString();
    Path jar = Path.of(System.getProperty("java.class.path")).toRealPath();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : files) {
        Path opened = Files.readSymbolicLink(file);
        if (opened.startsWith(home) || opened.equals(jar)) {
          Libc.fcntl(Integer.parseInt(file.getFileName().toString()), F_SETFD, FD_CLOEXEC);
        }
      }
    }
  }

  /** Returns only if the kernel refuses. */
  private static void execute(List<byte[]> words, List<byte[]> environment) {
    try (NativeBuffer path = strings(List.of(bytes("/proc/self/exe")));
        NativeBuffer arguments = strings(words);
        NativeBuffer variables = strings(environment)) {
      long first = path.bytes().getLong(0);
      Libc.execve(first, arguments.address(), variables.address());
    }
  }

  /** A list of pointers to strings, with 0 at its end, and behind it the strings. */
  private static NativeBuffer strings(List<byte[]> strings) {
    int at = (strings.size() + 1) * Long.BYTES;
    int length = at + strings.stream().mapToInt(string -> string.length + 1).sum();
    NativeBuffer buffer = NativeBuffer.allocate(length);
    ByteBuffer bytes = buffer.bytes();
    for (int i = 0; i < strings.size(); i++) {
      bytes.putLong(i * Long.BYTES, buffer.address() + at);
      bytes.put(at, strings.get(i));
      at += strings.get(i).length + 1;
    }
    return buffer;
  }
}
