package stackweave.agent.cli.sframe;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.maps.elf.ElfUnwindSections;
import stackweave.sframe.tools.SFrameStatistics;
import stackweave.sframe.writer.SFrameConversion;
import stackweave.sframe.writer.SFrameWriter;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.section.Section;
import stackweave.unwind.table.UnwindSections;

/** The command {@code sframe stat FILE…}: prints sizes and counts of the unwind sections. */
@Command(
    name = "stat",
    description = {
      "Sizes, functions, rows and distinct rules of .sframe, of .eh_frame with .eh_frame_hdr, and of"
          + " the SFrame V3 section that would come of it.",
      "Then the functions of which a part has no row, by reason."
    })
final class SFrameStatCommand implements Callable<Integer> {

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "ELF files of any kind, or raw sections.")
  private List<Path> files;

  @Override
  public Integer call() throws FailedException {
    StringBuilder text = new StringBuilder();
    for (Path file : files) {
      SFrameInput input = SFrameInput.open(file, null);
      write(input, input.sframe().isEmpty() ? null : SFrameStatistics.of(input.read()), text);
    }
    Output.toStandardOutput(out -> out.append(text));
    return 0;
  }

  private static void write(SFrameInput input, SFrameStatistics sframe, StringBuilder out) {
    out.append(input.file() + "\n");
    if (sframe != null) {
      line(out, ".sframe V" + sframe.version(), sframe.size(), "");
      counts(out, sframe.functions(), sframe.rows(), sframe.distinctRules());
      if (sframe.malformed() > 0) {
        out.append(String.format(Locale.ROOT, "    %,d functions malformed%n", sframe.malformed()));
      }
    }
    if (input.elf() != null) {
      callFrames(input.elf(), sframe, out);
    }
  }

  private static void callFrames(
      ElfUnwindSections elf, SFrameStatistics sframe, StringBuilder out) {
    UnwindSections sections = elf.sections();
    long size = size(sections.ehFrame()) + size(sections.ehFrameHdr());
    String source = ".eh_frame + hdr";
    if (size == 0) {
      size = size(sections.debugFrame());
      source = ".debug_frame";
    }
    if (size == 0) {
      out.append("  no .eh_frame\n");
      return;
    }
    line(out, source, size, "");
    if (elf.relocatable()) {
      out.append("    relocatable object: functions have no addresses before it is linked\n");
      return;
    }
    SFrameConversion made = SFrameWriter.convert(sections, 3, elf.order(), 0);
    counts(out, made.functions(), made.sourceRows(), made.sourceRules());
    if (made.functions() == 0) {
      return; // only headers, whose sizes say nothing
    }
    if (sframe != null) {
      out.append(percent("    .sframe is", sframe.size(), size)).append('\n');
    }
    line(out, "as SFrame V3", made.bytes().length, percent(",", made.bytes().length, size));
    out.append(String.format(Locale.ROOT, "    %,d rows%n", made.rows()));
    for (Unsupported reason : Unsupported.values()) {
      if (made.refused(reason) > 0) {
        out.append(
            String.format(
                Locale.ROOT,
                "    %,d functions not wholly: %s%n",
                made.refused(reason),
                reason.label()));
      }
    }
  }

  private static long size(Section section) {
    return section == null ? 0 : section.bytes().limit();
  }

  private static String percent(String before, long size, long of) {
    return String.format(Locale.ROOT, "%s %.1f %% of that", before, 100.0 * size / of);
  }

  private static void line(StringBuilder out, String what, long size, String more) {
    out.append(String.format(Locale.ROOT, "  %-16s %,12d bytes%s%n", what, size, more));
  }

  private static void counts(StringBuilder out, long functions, long rows, int rules) {
    out.append(
        String.format(
            Locale.ROOT,
            "    %,d functions, %,d rows, %,d distinct rules%n",
            functions,
            rows,
            rules));
  }
}
