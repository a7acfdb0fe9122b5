package stackweave.lab.zoo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Says by {@code nm} and {@code objdump} which JNI functions of the zoo's libraries can be left by
 * a jump into another function (a tail call): such a function may rightly be missing from a stack.
 * Not thread-safe.
 */
final class JniFunctions implements Predicate<String> {
  private static final int X86_64 = 62;
  private static final int MACHINE_OFFSET = 18;
  private static final Pattern OTHER_SYSTEM =
      Pattern.compile("bsd|musl|sunos", Pattern.CASE_INSENSITIVE);
  private static final Pattern FUNCTION =
      Pattern.compile("^([0-9a-f]+) ([0-9a-f]+) T (Java_\\w+)", Pattern.MULTILINE);
  private static final Pattern JUMP =
      Pattern.compile("\\sjmp[a-z]*\\s+(\\*|(?:0x)?([0-9a-f]+))", Pattern.MULTILINE);

  /** Where a function is. */
  private record Place(Path library, long start, long size) {}

  private final Map<String, Place> places = new HashMap<>();
  private final Map<String, Boolean> answers = new HashMap<>();

  /**
   * Unpacks the libraries of jar files.
   *
   * @param jars a directory
   * @param unpacked the directory that they are unpacked to, made if it is not there
   */
  JniFunctions(Path jars, Path unpacked) throws IOException, InterruptedException {
    Files.createDirectories(unpacked);
    try (Stream<Path> files = Files.list(jars)) {
      for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).toList()) {
        for (Path library : unpack(jar, unpacked)) {
          read(library);
        }
      }
    }
  }

  /** Whether a function can be left by a jump elsewhere; true also if it is not known. */
  @Override
  public boolean test(String function) {
    Place place = places.get(function);
    return place == null || answers.computeIfAbsent(function, name -> isLeftByJump(place));
  }

  private static List<Path> unpack(Path jar, Path directory) throws IOException {
    List<Path> libraries = new ArrayList<>();
    try (JarFile file = new JarFile(jar.toFile())) {
      for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements(); ) {
        JarEntry entry = entries.nextElement();
        if (!entry.getName().contains(".so")
            || OTHER_SYSTEM.matcher(entry.getName()).find()
            || !isOurs(file, entry)) {
          continue;
        }
        Path library =
            directory.resolve(jar.getFileName() + "-" + entry.getName().replace('/', '-'));
        if (!Files.exists(library) || Files.size(library) != entry.getSize()) {
          Files.write(library, file.getInputStream(entry).readAllBytes());
        }
        libraries.add(library);
      }
    }
    return libraries;
  }

  private static boolean isOurs(JarFile file, JarEntry entry) throws IOException {
    try (InputStream in = file.getInputStream(entry)) {
      byte[] head = in.readNBytes(MACHINE_OFFSET + 2);
      return head.length == MACHINE_OFFSET + 2
          && head[0] == 0x7F
          && head[1] == 'E'
          && ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getShort(MACHINE_OFFSET)
              == X86_64;
    }
  }

  private void read(Path library) throws IOException, InterruptedException {
    Matcher functions = FUNCTION.matcher(output("nm", "-D", "-S", "--defined-only", "" + library));
    while (functions.find()) {
      places.putIfAbsent(
          functions.group(3),
          new Place(
              library,
              Long.parseUnsignedLong(functions.group(1), 16),
              Long.parseUnsignedLong(functions.group(2), 16)));
    }
  }

  private static boolean isLeftByJump(Place place) {
    long end = place.start + place.size;
    try {
      Matcher jumps =
          JUMP.matcher(
              output(
                  "objdump",
                  "-d",
                  "--no-show-raw-insn",
                  "--start-address=" + place.start,
                  "--stop-address=" + end,
                  place.library.toString()));
      while (jumps.find()) {
        if (jumps.group(2) == null) {
          return true;
        }
        long target = Long.parseUnsignedLong(jumps.group(2), 16);
        if (target < place.start || target >= end) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static String output(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(false).start();
    String said = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + " ended with " + process.exitValue());
    }
    return said;
  }
}
