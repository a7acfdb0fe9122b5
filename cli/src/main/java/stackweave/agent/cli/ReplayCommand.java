package stackweave.agent.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.sframe.SFrameInput;
import stackweave.hotspot.replay.RecordedLines;
import stackweave.hotspot.replay.Replay;
import stackweave.hotspot.replay.ReplayFile;
import stackweave.hotspot.replay.ReplayFormatException;
import stackweave.hotspot.replay.ReplayReader;
import stackweave.hotspot.vmstructs.UnsupportedVmException;

/**
 * The command {@code replay FILE}: unwinds the sample in a replay file and prints its frames, or
 * prints the file's contents.
 */
@Command(
    name = "replay",
    description = "The frames of a sample that record-failures kept, unwound once more.",
    sortOptions = false)
final class ReplayCommand implements Callable<Integer> {
  private static final int BYTES_PER_LINE = 16;

  @Parameters(paramLabel = "FILE", description = "A file of record-failures (.replay).")
  private Path file;

  @Option(
      names = "--contents",
      description = "Instead of the frames: all that is in the file, to be read before sending it.")
  private boolean contents;

  @Override
  public Integer call() throws FailedException {
    ReplayFile replay = read();
    String text = contents ? null : frames(replay);
    Output.toStandardOutput(
        out -> {
          if (contents) {
            writeContents(replay, out);
          } else {
            out.append(Plain.lines(text));
          }
        });
    return 0;
  }

  private ReplayFile read() throws FailedException {
    SFrameInput.mustBeFile(file);
    try {
      ReplayFile replay = ReplayReader.read(file);
      if (replay.stackBytes() == 0) {
        throw new FailedException(file + ": a replay file without a sample");
      }
      return replay;
    } catch (ReplayFormatException e) {
      throw new FailedException(file + ": " + FailedException.worded(e));
    } catch (IOException e) {
      throw new FailedException(file + ": " + FailedException.reason(e));
    }
  }

  private String frames(ReplayFile replay) throws FailedException {
    try {
      return new Replay(replay).text();
    } catch (UnsupportedVmException | IllegalArgumentException e) {
      throw new FailedException(file + ": " + FailedException.worded(e));
    }
  }

  private static void writeContents(ReplayFile replay, Appendable out) throws IOException {
    for (Map.Entry<String, String> fact : replay.facts().entrySet()) {
      String value = fact.getValue().stripTrailing();
      String separator = value.contains("\n") ? ":\n  " : ": ";
      out.append(Plain.lines(fact.getKey() + separator + value.replace("\n", "\n  ")) + "\n");
    }
    out.append("native modules:\n");
    for (String module : replay.moduleLines()) {
      out.append("  " + Plain.line(module) + "\n");
    }
    out.append("registers:\n  " + replay.registersLine() + "\n");
    out.append("stack, " + replay.stackBytes() + " bytes:\n");
    byte[] stack = replay.stack();
    for (int i = 0; i < stack.length; i += BYTES_PER_LINE) {
      writeBytes(out, replay.stackAddress() + i, stack, i);
    }
    RecordedLines memory = replay.memory();
    out.append("memory, " + memory.lineCount() * RecordedLines.LINE + " bytes:\n");
    for (int i = 0; i < memory.lineCount(); i++) {
      byte[] line = memory.lineBytes(i);
      for (int k = 0; k < line.length; k += BYTES_PER_LINE) {
        writeBytes(out, memory.lineAddress(i) + k, line, k);
      }
    }
  }

  private static void writeBytes(Appendable out, long address, byte[] bytes, int from)
      throws IOException {
    int to = Math.min(from + BYTES_PER_LINE, bytes.length);
    String hex = HexFormat.of().withPrefix(" ").formatHex(bytes, from, to);
    String text = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    out.append(
        String.format(
            Locale.ROOT, "  %016x %s  %s%n", address, hex, text.replaceAll("[^ -~]", ".")));
  }
}
