package stackweave.jfr.process;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * What a JVM was started with that names its service, in the terms of OpenTelemetry: some variables
 * of its environment, and some system properties that its arguments set. The text of {@link
 * stackweave.jfr.event.Session#startedWith} has one a line: {@code NAME=value}, of properties
 * {@code -DNAME=value}. Nothing else of the environment is kept, as it may hold secrets. Stateless.
 */
public final class StartFacts {
  private static final String PROPERTY = "-D";

  private static final List<String> VARIABLES =
      List.of("OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "HOSTNAME");

  private static final List<String> PROPERTIES =
      List.of("-Dservice.name", "-Dservice.version", "-Dhost.name");

  /** Variables with arguments of a JVM; what is on the command line holds before them. */
  private static final List<String> ARGUMENTS = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS");

  /** What is read of the environment, and of the command line. */
  private static final int MAX_BYTES = 1 << 20;

  private static final int MAX_CHARACTERS = 1_000;

  private StartFacts() {}

  /** The text of a process; what can't be read is left out. Reads the process's memory. */
  public static String of(SampledProcess process) {
    return text(words(process.file("environ")), words(process.file("cmdline")));
  }

  static String text(List<String> environment, List<String> command) {
    Map<String, String> facts = new LinkedHashMap<>();
    for (String variable : VARIABLES) {
      put(facts, variable, environment);
    }
    for (String property : PROPERTIES) {
      for (String variable : ARGUMENTS) {
        Map<String, String> arguments = new LinkedHashMap<>();
        put(arguments, variable, environment);
        put(facts, property, List.of(arguments.getOrDefault(variable, "").split("\\s+")));
      }
      put(facts, property, command);
    }
    StringBuilder text = new StringBuilder();
    facts.forEach(
        (name, value) ->
            text.append(name)
                .append('=')
                .append(value, 0, Math.min(MAX_CHARACTERS, value.length()))
                .append('\n'));
    return text.toString().strip();
  }

  /** Puts the value that {@code name=value} among the words gives it: of several, the last. */
  private static void put(Map<String, String> facts, String name, List<String> words) {
    for (String word : words) {
      if (word.startsWith(name + "=")) {
        facts.put(name, word.substring(name.length() + 1).replaceAll("\\p{Cntrl}", " "));
      }
    }
  }

  private static List<String> words(String file) {
    // Not by java.nio, whose buffers count against -XX:MaxDirectMemorySize.
    try (InputStream in = new FileInputStream(file)) {
      return List.of(new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8).split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }

  /**
   * Reads a text.
   *
   * @param properties receives names, without {@code -D}, and values of system properties
   * @param variables receives those of variables
   */
  public static void read(
      String text, BiConsumer<String, String> properties, BiConsumer<String, String> variables) {
    for (String line : text.split("\n")) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        boolean isProperty = line.startsWith(PROPERTY);
        (isProperty ? properties : variables)
            .accept(
                line.substring(isProperty ? PROPERTY.length() : 0, equals),
                line.substring(equals + 1));
      }
    }
  }
}
