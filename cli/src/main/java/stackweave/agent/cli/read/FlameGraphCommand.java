package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.UsageException;
import stackweave.agent.cli.jvm.OwnCommand;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.export.flamegraph.FlameGraphExport;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** The command {@code flamegraph REC…}: writes a flame graph as one HTML file. */
@Command(
    name = "flamegraph",
    description = {
      "A flame graph, one HTML file that needs nothing else.",
      "In the page a click zooms, / searches, dragging in the strip on top chooses a time; the"
          + " button Tables opens functions, libraries and threads. Several recordings are summed"
          + " up.",
      "--diff compares two recordings: colours and a table say which functions have a larger or"
          + " smaller share, each of its own recording, and what of it may be chance."
    })
public final class FlameGraphCommand implements Callable<Integer> {

  @Parameters(paramLabel = "REC", arity = "1..*", description = "The recordings (.jfr).")
  private List<Path> files;

  @Mixin private SymbolOptions symbols;

  @Mixin private TimeOptions time;

  @Option(names = "--threads", description = "Stacks begin with their thread.")
  private boolean threads;

  @Option(names = "--diff", description = "Compares the second recording with the first.")
  private boolean diff;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "Default: the recording's name with .html, or with -diff.html, beside it. - is standard"
              + " output.")
  private Path output;

  @Override
  public Integer call() throws RecordingException, FailedException {
    if (diff && files.size() != 2) {
      throw new UsageException("--diff needs two recordings, not " + files.size());
    }
    Path last = files.get(files.size() - 1);
    Path main = diff ? last : files.get(0);
    Path to = output == null ? Recording.beside(main, diff ? "-diff.html" : ".html") : output;
    Output.mustNotBe(
        to,
        files.size() == 1 ? "the recording" : "one of the recordings",
        files.toArray(Path[]::new));
    Output.mustBeWritable(to);
    if (!diff) {
      mustDiffer();
    }
    List<SampledRecording> read = new ArrayList<>();
    for (Path file : files) {
      read.add(Recording.said(file, symbols.open(file, true, time.ofFile())));
    }
    Recording.mustBeOfOneType(read);
    String title = String.valueOf(main.getFileName());
    FlameGraphExport export =
        new FlameGraphExport(
            files.size() > 1 && !diff ? title + " and " + (files.size() - 1) + " more" : title,
            threads);
    if (diff) {
      export = export.comparedWith(String.valueOf(files.get(0).getFileName()), read.get(0));
    } else {
      export = export.with(read.subList(1, read.size()));
    }
    Output.to(to, export, read.get(diff ? 1 : 0));
    if (!Output.isStandardOutput(to)) {
      System.out.println(to);
    }
    return 0;
  }

  /** Refuses dumps with common chunks, whose samples would count twice. */
  private void mustDiffer() throws RecordingException, FailedException {
    Map<List<Long>, Path> known = new HashMap<>();
    for (Path file : files) {
      Map<List<Long>, Path> own = new HashMap<>();
      for (ChunkHeader chunk : ChunkList.scan(file).chunks()) {
        List<Long> begin = List.of(chunk.startNanos(), chunk.startTicks());
        Path other = known.get(begin);
        if (other != null) {
          List<Object> merge = new ArrayList<>(List.of("merge"));
          files.stream().distinct().map(OwnCommand::file).forEach(merge::add);
          merge.addAll(List.of("-o", "merged.jfr"));
          throw new FailedException(
              other
                  + " and "
                  + file
                  + " have samples in common, which would count twice; join them first: "
                  + OwnCommand.line(merge.toArray()));
        }
        own.put(begin, file);
      }
      known.putAll(own);
    }
  }
}
