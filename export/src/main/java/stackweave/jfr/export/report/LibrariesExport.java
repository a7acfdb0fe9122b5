package stackweave.jfr.export.report;

import static stackweave.jfr.export.report.ReportExport.percent;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import stackweave.jfr.export.Export;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.SampledRecording;

/**
 * The native libraries of a recording: shares, path, build id, where unwind rules and names come
 * from, what loaded them, which stacks end in them, and what to install or to build differently. As
 * text of 80 columns or as an HTML page.
 */
public final class LibrariesExport implements Export<SampledRecording> {
  /** Below this share, nameless functions and stacks that end in a library get no advice. */
  private static final double SMALL = 0.01;

  private static final String NO_TABLES = "none";
  private static final String FRAME_TABLES = "frame"; // of SFrame and of eh_frame

  private final String title;
  private final int rows;
  private final boolean html;

  /**
   * @param title the heading, such as the recording's file name
   * @param rows most libraries that are shown; 0 for all
   * @param html whether it is a page
   */
  public LibrariesExport(String title, int rows, boolean html) {
    this.title = title;
    this.rows = rows;
    this.html = html;
  }

  /** The sums of a library: of all copies of one build. */
  private static final class Library {
    final SampledModule module;
    final Sums.Sum self = new Sums.Sum("");
    final Sums.Sum total = new Sums.Sum("");

    /** Its frames in all samples, those without a name, and those whose caller is a guess. */
    long frames;

    long nameless;
    long guessed;

    /** Stacks that end in this library without having reached their thread's first frame. */
    final Map<String, Long> ends = new TreeMap<>();

    /** First addresses of all copies of the same build by their paths. */
    final Map<String, List<Long>> starts = new TreeMap<>();

    Library(SampledModule module) {
      this.module = module;
    }

    long ended() {
      return ends.values().stream().mapToLong(count -> count).sum();
    }
  }

  @Override
  public void write(SampledRecording recording, OutputStream out)
      throws IOException, RecordingException {
    SectionWriter.write(title, sections(recording), html, out);
  }

  private List<ReportSection> sections(SampledRecording recording)
      throws IOException, RecordingException {
    long all = recording.weightNanos();
    List<Library> libraries = gather(recording);
    libraries.sort(
        Comparator.comparingLong((Library library) -> library.self.nanos)
            .thenComparingLong(library -> library.total.nanos)
            .reversed());
    ReportSection table = new ReportSection("Libraries");
    table.say(
        "Shares of the %s of %s that the samples stand for. SELF: in its own code; TOTAL: in it or"
            + " in what it calls; NAMED: its frames that have a name.",
        Texts.seconds(all), recording.choice().time());
    table.head("SELF", "TOTAL", "NAMED", "LIBRARY");
    LoadSections loads = new LoadSections(RecordedLoads.read(recording.file()));
    List<ReportSection> sections = new ArrayList<>(List.of(table, loads.table(rows)));
    List<Library> shown = rows == 0 ? libraries : Sums.first(libraries, rows);
    for (Library library : shown) {
      table.row(
          percent(library.self.nanos, all),
          percent(library.total.nanos, all),
          percent(library.frames - library.nameless, library.frames),
          library.module.name());
      ReportSection details = details(library, recording.samples());
      details.sentences.addAll(1, loads.sentences(library.starts));
      sections.add(details);
    }
    if (shown.size() < libraries.size()) {
      table.say("%,d more libraries are left out.", libraries.size() - shown.size());
    }
    return sections;
  }

  private static List<Library> gather(SampledRecording recording) {
    Map<String, Library> byBuild = new TreeMap<>();
    Map<SampledModule, Library> byModule = new IdentityHashMap<>();
    recording.forEachStack(
        (thread, end, frames, count, nanos) -> {
          Set<Library> met = new HashSet<>();
          for (int i = 0; i < frames.size(); i++) {
            SampledFrame frame = frames.get(i);
            SampledModule module = frame.method().module();
            if (module == null) {
              continue;
            }
            Library library = byModule.computeIfAbsent(module, key -> of(key, byBuild));
            library.frames += count;
            library.nameless += FrameText.of(frame).symbol().isEmpty() ? count : 0;
            // The tables of the callee's library decide how a frame was found.
            boolean isCallerGuessed =
                i > 0 && Place.isNative(frame) && frames.get(i - 1).found().isGuess();
            library.guessed += isCallerGuessed ? count : 0;
            if (met.add(library)) {
              library.total.add(count, nanos);
            }
            if (i == frames.size() - 1) {
              library.self.add(count, nanos);
            }
            if (i == 0 && !end.isComplete()) {
              library.ends.merge(end.label(), count, Long::sum);
            }
          }
        });
    return new ArrayList<>(byBuild.values());
  }

  private static Library of(SampledModule module, Map<String, Library> byBuild) {
    // A library that its loader extracts has another path in each process, but the same build id.
    String build = module.buildId().isEmpty() ? module.path() : module.buildId();
    Library library =
        byBuild.computeIfAbsent(module.name() + " " + build, key -> new Library(module));
    library.starts.computeIfAbsent(module.path(), path -> new ArrayList<>()).add(module.start());
    return library;
  }

  private static ReportSection details(Library library, long samples) {
    SampledModule module = library.module;
    ReportSection section = new ReportSection(module.name(), true);
    Iterator<String> paths = library.starts.keySet().iterator();
    int more = library.starts.size() - 1;
    section.say("File: " + paths.next() + (more > 0 ? Texts.of(" and %,d more copies", more) : ""));
    section.say("Build id: " + (module.buildId().isEmpty() ? "none" : module.buildId()));
    section.say(tables(module));
    section.say(
        "Names: %s; %s of its frames have none",
        module.symbolsFrom().isEmpty() ? "not read" : module.symbolsFrom(),
        percent(library.nameless, library.frames));
    library.ends.forEach(
        (end, count) ->
            section.say("Stacks that end here: %,d of %,d samples, %s", count, samples, end));
    if (library.guessed > 0) {
      section.say(
          "Guesses: of %s of its frames the caller was found without unwind tables and may be wrong",
          percent(library.guessed, library.frames));
    }
    advice(library, section);
    return section;
  }

  private static String tables(SampledModule module) {
    String source = module.unwindSource().isEmpty() ? "not read" : module.unwindSource();
    String functions =
        module.functions() > 0 ? Texts.of(", %,d functions", module.functions()) : "";
    String reason = module.unwindReason().isEmpty() ? "" : " (" + module.unwindReason() + ")";
    return "Unwind tables: " + source + functions + reason;
  }

  private static void advice(Library library, ReportSection section) {
    SampledModule module = library.module;
    if (module.isVdso()) {
      return;
    }
    String source = module.unwindSource().toLowerCase(Locale.ROOT);
    boolean lacksTables =
        source.equals(NO_TABLES) || !source.isEmpty() && !source.contains(FRAME_TABLES);
    boolean losesStacks = library.ended() + library.guessed > SMALL * library.frames;
    if (lacksTables || losesStacks && library.guessed > 0) {
      section.say(
          "For whole stacks: build it with -fasynchronous-unwind-tables, or with -Wa,--gsframe"
              + " (binutils 2.46 or later); -fno-omit-frame-pointer helps its callers only.");
    }
    if (library.nameless > SMALL * library.frames) {
      section.say(
          isOfSystem(module.path())
              ? "For names: install its package's debug symbols (dpkg -S or rpm -qf "
                  + module.path()
                  + " names the package, NAME-dbgsym or NAME-debuginfo has them), where it runs or"
                  + " where you read the recording (--symbols /usr/lib/debug)."
              : "For names: do not strip it when it is built, or keep the file from before and read"
                  + " the recording with --symbols DIR: files are found by build id.");
    }
  }

  private static boolean isOfSystem(String path) {
    return path.startsWith("/usr/") || path.startsWith("/lib");
  }
}
