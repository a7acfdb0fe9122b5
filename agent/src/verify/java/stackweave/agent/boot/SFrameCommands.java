package stackweave.agent.boot;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.testing.Ended;

/** Files of the corpus, and the commands on them. */
@ResourceLock("SFrameCommands") // its files are those of a class at a time
abstract class SFrameCommands {
  static final Path CORPUS = Path.of("../unwind/src/test/resources/sframe-corpus").toAbsolutePath();

  @TempDir static Path directory;
  static OneJvm warm;

  @BeforeAll
  static void files() throws Exception {
    copy("aarch64-v3/exe-simple.elf", "simple.elf");
    copy("aarch64-v3/exe-simple.tsv", "simple.tsv");
    copy("bad/53-fretype15.sframe", "rows.sframe");
    copy("bad/09-version4.sframe", "version.sframe");
    copy("bad/45-concat.sframe", "concat.sframe");
    copy("x86_64-v3/rel-stubs.elf", "object.elf");
    Files.writeString(directory.resolve("text"), "no section\n");
    // A library of the JDK: it has .eh_frame, and System.load can say whether it still loads.
    Path library = Path.of(System.getProperty("java.home"), "lib", "libzip.so");
    Files.copy(library, directory.resolve("libzip.so"));
    warm = OneJvm.start(Jvm.all().findFirst().orElseThrow(), directory);
  }

  @AfterAll
  static void end() throws Exception {
    warm.close();
  }

  static void copy(String from, String to) throws Exception {
    Files.copy(CORPUS.resolve(from), directory.resolve(to), StandardCopyOption.REPLACE_EXISTING);
  }

  static List<String> rows(Ended dump) {
    return dump.out().lines().map(line -> line.substring(line.indexOf('\t'))).skip(1).toList();
  }

  static String[] index(String set, String name) throws Exception {
    return Files.readAllLines(CORPUS.resolve("INDEX.tsv")).stream()
        .map(line -> line.split("\t"))
        .filter(columns -> columns[0].equals(set) && columns[1].equals(name))
        .findFirst()
        .orElseThrow();
  }

  Ended sframe(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("sframe"));
    all.addAll(List.of(arguments));
    String[] words = all.toArray(String[]::new);
    return List.of("generate", "merge", "upgrade").contains(arguments[0])
        ? warm.run(words)
        : Jvm.all().findFirst().orElseThrow().commandLine(directory, words);
  }
}
