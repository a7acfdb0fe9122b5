package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The compiler directive as the JVM itself lists it. */
class CompilerDirectiveIT extends CompilerDirectives {
  private static final String THEIRS = "java/lang/Integer.parse*";

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void isThereOnceAndLeavesOthersAndNoFile(Jvm jvm) throws Exception {
    start(jvm, "");
    assertEquals(0, count(directives(jvm), OURS), "a dormant agent adds none");
    Path theirs = directory.resolve("theirs.json");
    Files.writeString(theirs, "[{match: \"" + THEIRS + "\", c2: {Exclude: true}}]");
    jcmd(jvm, "Compiler.directives_add", theirs.toString());
    for (int i = 0; i < 2; i++) {
      record(jvm);
    }
    String listed = directives(jvm);
    assertEquals(1, count(listed, OURS), listed);
    assertEquals(1, count(listed, THEIRS), listed);
    for (String name : Jars.innerEntries(Jars.AGENT).keySet()) {
      Matcher ours = Pattern.compile("stackweave/(stackweave/\\w+/).*").matcher(name);
      if (ours.matches()) {
        assertEquals(1, count(listed, ours.group(1) + "*.*"), name + ": " + listed);
      }
    }
    try (Stream<Path> files = Files.list(directory.resolve("tmp"))) {
      assertEquals(List.of(), files.filter(f -> f.toString().contains("stackweave")).toList());
    }
  }
}
