package stackweave.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import stackweave.testing.Jdk;
import stackweave.testing.Machine;
import stackweave.testing.Markdown;

/**
 * What the programs of the lab have in common: the JDKs that they run on, and tables with the facts
 * of their run above them. A mixin of their commands; made when a run begins.
 */
public final class Report {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  @Option(
      names = "--jdk",
      paramLabel = "DIRECTORY",
      description =
          "this JDK; may stand more than once; default: those in /usr/lib/jvm and of lab/jdk")
  private List<Path> homes = List.of();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "write the tables into this file; default: standard output")
  private Path out;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  private final long begin = System.nanoTime();
  private final String loadBefore = load();

  /** The JDKs that are asked for, or all of this machine. */
  public List<Jdk> jdks() {
    try {
      return Jdk.in(homes);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), e.getMessage());
    }
  }

  /**
   * Writes what the run was and the tables.
   *
   * @param facts of this program's runs
   */
  public void write(Map<String, String> facts, Markdown tables) throws IOException {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    all.put("sources", System.getProperty("lab.state", "unknown"));
    all.put("machine", Machine.description());
    all.put("JDKs", jdks().stream().map(Jdk::version).collect(Collectors.joining(", ")));
    all.putAll(facts);
    all.put("load of the machine before and after", loadBefore + ", " + load());
    long seconds = (System.nanoTime() - begin) / NANOS_PER_SECOND;
    all.put("the whole run took", "%d min %d s".formatted(seconds / 60, seconds % 60));
    Markdown page = new Markdown();
    page.facts(all);
    page.add(tables);
    if (out == null) {
      System.out.println(page);
    } else {
      Files.writeString(out, page.toString());
    }
  }

  private static String load() {
    try {
      return Machine.load();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
