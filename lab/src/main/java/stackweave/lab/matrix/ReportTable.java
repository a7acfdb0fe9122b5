package stackweave.lab.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import stackweave.testing.Markdown;

/**
 * Prints one table of runs of the matrix on several machines: {@code ReportTable DIRECTORY...},
 * each of which is named after its machine and has the machine's {@code lab/target/matrix}.
 */
public final class ReportTable {
  private ReportTable() {}

  public static void main(String[] directories) throws IOException {
    Markdown page = new Markdown();
    page.table(
        "machine",
        "JVM",
        "engine",
        "phase",
        ">samples",
        ">complete",
        ">link pairs",
        ">bad",
        "frames that were not found by unwind tables",
        "stacks that end early");
    for (String directory : directories) {
      Path machine = Path.of(directory);
      for (Path file : reports(machine)) {
        RunReport report = RunReport.read(file);
        for (Figures figures : report.phases()) {
          row(page, machine.getFileName().toString(), report, figures);
        }
        row(page, machine.getFileName().toString(), report, report.whole());
      }
    }
    System.out.println(page);
  }

  private static List<Path> reports(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.endsWith("report")).sorted().toList();
    }
  }

  private static void row(Markdown page, String machine, RunReport report, Figures figures) {
    page.row(
        machine,
        report.jvm(),
        report.engine(),
        figures.phase(),
        "%,d".formatted(figures.owed()),
        "%.3f %%".formatted(100 * figures.share()),
        "%,d".formatted(figures.pairs()),
        "%,d".formatted(figures.bad()),
        figures.phase().equals(Figures.WHOLE) ? counts(report.ways()) : "",
        Tables.early(figures));
  }

  private static String counts(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(count -> count.getKey() + " " + count.getValue())
        .collect(Collectors.joining(", "));
  }
}
