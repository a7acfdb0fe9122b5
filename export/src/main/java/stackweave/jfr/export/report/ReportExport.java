package stackweave.jfr.export.report;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.export.CodeOrigin;
import stackweave.jfr.export.Export;
import stackweave.jfr.export.RecordingFacts;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;

/**
 * Reports where the CPU time of a recording went, what stands out, how reliable that is, and what
 * to do next: as text of 80 columns or as an HTML page. Each sentence has the figures from which it
 * follows.
 */
public final class ReportExport implements Export<SampledRecording> {
  /** A purpose of the JVM stands out if it certainly takes more of the CPU time than this. */
  private static final double MUCH_GC = 0.10;

  private static final double MUCH_JIT = 0.20;

  /** From this share of a core on, a thread gets a sentence. */
  private static final double ONE_CORE = 0.90;

  /** Smaller shares get no sentence. */
  private static final double SMALL = 0.01;

  private static final int MAX_PLACES = 20;
  private static final int MAX_LIBRARIES = 5;
  private static final int MAX_CALLERS = 3;
  private static final int MAX_SENTENCES = 5;

  /** Weights that differ less get no sentence. */
  private static final double ALMOST = 0.95;

  private static final double ALMOST_ALL = 0.999;
  private static final long SHORT_INTERVAL = 1_000_000;
  private static final long MIN_THREAD_SAMPLES = 50;
  private static final long GOOD_SAMPLES = 1_000;

  /** Most groups of waiting threads, and places of each, in a report on CPU time. */
  private static final int FEW_GROUPS = 4;

  private static final int FEW_WAITS = 3;

  private static final int FEW_BLOCKS = 5;

  /** The same in a report on waiting only. */
  private static final int MANY_GROUPS = 12;

  private static final int MANY_WAITS = 6;
  private static final int MANY_BLOCKS = 20;
  private static final String JAR = "java -jar stackweave-agent.jar ";

  private final String title;
  private final String file;
  private final boolean html;

  /** The same recording opened with its waiting threads; null for none. */
  private SampledRecording waiting;

  /**
   * @param title the heading, such as the recording's file name
   * @param file the recording in the commands that are proposed, quoted for a shell
   * @param html whether it is a page
   */
  public ReportExport(String title, String file, boolean html) {
    this.title = title;
    this.file = file;
    this.html = html;
  }

  /**
   * Adds what threads wait for.
   *
   * @param recording the one that is reported on, opened with its waiting threads
   */
  public ReportExport withWaiting(SampledRecording recording) {
    waiting = recording;
    return this;
  }

  /** If the recording was opened with its waiting threads, the report is only on waiting. */
  @Override
  public void write(SampledRecording recording, OutputStream out)
      throws IOException, RecordingException {
    SectionWriter.write(title, sections(recording), html, out);
  }

  private List<ReportSection> sections(SampledRecording recording)
      throws IOException, RecordingException {
    if (recording.choice().isEvent()) {
      List<ReportSection> sections = new ArrayList<>(new EventReport(recording).sections());
      sections.add(sections.size() - 1, LabelReport.section(recording));
      return sections;
    }
    if (recording.choice().isWall()) {
      WaitReport report = new WaitReport(recording, MANY_GROUPS, MANY_WAITS);
      List<ReportSection> sections = new ArrayList<>(report.sections());
      sections.add(LabelReport.section(recording));
      sections.add(BlockReport.section(recording, MANY_BLOCKS));
      sections.addAll(CallReport.sections(recording.file(), recording));
      sections.add(report.trust(true));
      sections.add(nextOfWaiting());
      return sections;
    }
    Facts facts = new Facts(recording);
    List<ReportSection> sections =
        new ArrayList<>(
            List.of(
                facts.places(),
                facts.callers(),
                facts.transitions(),
                facts.jvm(),
                facts.threads()));
    ReportSection trust = facts.trust();
    ReportSection next = facts.next(file);
    if (waiting != null) {
      WaitReport report = new WaitReport(waiting, FEW_GROUPS, FEW_WAITS);
      sections.addAll(report.sections());
      trust.sentences.addAll(report.trust(false).sentences);
      next.commands.add(JAR + "report --wall " + file);
    }
    sections.add(LabelReport.section(recording));
    sections.add(BlockReport.section(recording, FEW_BLOCKS));
    sections.addAll(StallReport.sections(recording));
    SampledRecording all = waiting == null ? recording : waiting;
    sections.addAll(CallReport.sections(recording.file(), all));
    for (String event : recording.eventSamples().keySet()) {
      next.commands.add(JAR + "report --event " + event + " " + file);
    }
    sections.addAll(List.of(trust, facts.betterStacks(), next));
    return sections;
  }

  private ReportSection nextOfWaiting() {
    ReportSection section = new ReportSection("What to try next");
    section.commands.add(JAR + "flamegraph --wall " + file);
    section.commands.add(JAR + "report " + file);
    return section;
  }

  /** The sections on the CPU time of one recording. */
  private static final class Facts {
    private final SampledRecording recording;
    private final ReportSums sums;

    Facts(SampledRecording recording) {
      this.recording = recording;
      this.sums = new ReportSums(recording, false);
    }

    private double share(Sums.Sum sum) {
      return sums.share(sum);
    }

    private Shares.Interval interval(Sums.Sum sum) {
      return Shares.of(share(sum), sums.effective(sum));
    }

    private String of(Sums.Sum sum) {
      Shares.Interval interval = interval(sum);
      return Texts.of(
          "%s of the CPU time (%,d samples; 95 %%: %s to %s)",
          percent(share(sum)), sum.count, percent(interval.low()), percent(interval.high()));
    }

    ReportSection places() {
      ReportSection section = new ReportSection("Where the CPU time went");
      section.say(
          "%,d samples stand for %s of CPU time within %s. LOW and HIGH are the ends of the 95 %%"
              + " interval. A native library has what it calls, but for libjvm and the kernel.",
          sums.all.count, Texts.seconds(sums.all.nanos), Texts.seconds(length()));
      section.head("SHARE", "LOW", "HIGH", "PLACE");
      Map<Sums.Sum, String> names = new LinkedHashMap<>();
      for (Sums.Sum group : sums.groups.sorted()) {
        if (group.name.equals(Place.JAVA) || group.name.equals(Place.STUBS)) {
          names.put(group, group.name);
          continue;
        }
        for (Sums.Sum place : sums.places.get(group.name).sorted()) {
          names.put(place, place.name.isEmpty() ? group.name : group.name + ": " + place.name);
        }
      }
      List<Sums.Sum> sorted = new ArrayList<>(names.keySet());
      sorted.sort(Comparator.comparingDouble(sum -> -share(sum)));
      for (Sums.Sum sum : Sums.first(sorted, MAX_PLACES)) {
        Shares.Interval interval = interval(sum);
        section.row(
            percent(share(sum)), percent(interval.low()), percent(interval.high()), names.get(sum));
      }
      double rest = sorted.stream().skip(MAX_PLACES).mapToDouble(this::share).sum();
      if (rest > 0) {
        int more = sorted.size() - MAX_PLACES;
        section.row(percent(rest), "", "", Texts.of("in %,d more places", more));
      }
      return section;
    }

    ReportSection callers() {
      ReportSection section = new ReportSection("Java callers of native libraries");
      section.head("OF ALL", "OF IT", "LIBRARY AND CALLER");
      int libraries = 0;
      for (Sums.Sum library : sums.placesOf(Place.LIBRARY).sorted()) {
        Sums<String> callers = sums.callers.get(library.name);
        if (callers == null || share(library) < SMALL || ++libraries > MAX_LIBRARIES) {
          continue;
        }
        section.row(percent(share(library)), "", library.name);
        for (Sums.Sum caller : callers.largest(MAX_CALLERS)) {
          section.row(
              percent(share(caller)),
              percent(share(caller) / share(library)),
              ReportSection.INDENT + caller.name);
        }
      }
      return section;
    }

    ReportSection transitions() {
      ReportSection section = new ReportSection("JNI calls that cost more than their work");
      for (Sums.Sum transition : sums.transitions.sorted()) {
        Sums.Sum work = sums.work.get(transition.name);
        long all = transition.count + work.count;
        Shares.Interval interval = Shares.of((double) transition.count / all, all);
        if (interval.low() > 0.5
            && share(transition) >= SMALL
            && section.sentences.size() < MAX_SENTENCES) {
          section.say(
              "%s: %,d samples are in its transition to native code, %,d in the code that it calls"
                  + " (%s to %s of its samples are transition). Fewer calls that do more would help:"
                  + " it takes %s.",
              transition.name,
              transition.count,
              work.count,
              percent(interval.low()),
              percent(interval.high()),
              of(transition));
        }
      }
      return section;
    }

    ReportSection jvm() {
      ReportSection section = new ReportSection("What stands out in the JVM");
      stands(section, Purpose.GC, MUCH_GC, "jcmd PID GC.heap_info says more");
      String usual = "usual in a program's first minute; record later for its steady state";
      stands(section, Purpose.JIT, MUCH_JIT, usual);
      return section;
    }

    private void stands(ReportSection section, Purpose purpose, double much, String advice) {
      Sums.Sum sum = sums.placesOf(Place.JVM).get(purpose.label());
      if (interval(sum).low() > much) {
        section.say(
            "%s takes %s, which is more than %s: %s.", sum.name, of(sum), percent(much), advice);
      }
    }

    ReportSection threads() {
      ReportSection section = new ReportSection("Threads that keep a core busy");
      for (Sums.Sum thread : sums.threads.sorted()) {
        if (thread.count < MIN_THREAD_SAMPLES) {
          continue;
        }
        // There is one interval less than samples from the first sample to the last.
        long interval = Math.max(figure(Counter.INTERVAL), figure(Counter.INTERVAL_REACHED));
        long length = length() + (interval > 0 ? interval : thread.nanos / thread.count);
        double cores = (double) thread.nanos / length;
        if (cores >= ONE_CORE && section.sentences.size() < MAX_SENTENCES) {
          section.say(
              "%s used %s of CPU time within %s: %.2f cores.",
              thread.name, Texts.seconds(thread.nanos), Texts.seconds(length), cores);
        }
      }
      return section;
    }

    ReportSection trust() {
      ReportSection section = new ReportSection("How far to trust this");
      double worth = sums.effective(new Sums.Sum(""));
      Shares.Interval tenth = Shares.of(0.1, worth);
      section.say(
          "With %,d samples%s a share of 10 %% may as well be one from %s to %s.",
          sums.all.count,
          worth > ALMOST * sums.all.count
              ? ""
              : Texts.of(", whose weights make them as precise as %,.0f,", worth),
          percent(tenth.low()),
          percent(tenth.high()));
      long used = figure(Counter.CPU_USED);
      if (used > 0) {
        section.say(
            "The samples cover %s of the %s of CPU time that was used.",
            percent(Math.min(1, (double) figure(Counter.CPU_COVERED) / used)), Texts.seconds(used));
      }
      section.sentences.addAll(RecordingFacts.notes(recording));
      long cut = sums.incomplete.sum().count;
      section.say(
          "%,d of %,d stacks (%s) do not reach their thread's first frame.",
          cut, sums.all.count, percent(cut, sums.all.count));
      if (sums.frameless.count > 0) {
        section.say(
            "%,d of %,d samples, %s of the CPU time, have no stack at all: what they were spent in is not"
                + " known.",
            sums.frameless.count, sums.all.count, percent(share(sums.frameless)));
      }
      section.head("STACKS", "SHARE", "ENDS WITH");
      for (Sums.Sum end : sums.incomplete.largest(MAX_SENTENCES)) {
        section.row(Texts.count(end.count), percent(end.count, sums.all.count), end.name);
      }
      return section;
    }

    ReportSection betterStacks() {
      ReportSection section = new ReportSection("What would make stacks better");
      for (Sums.Sum library : worthAdvice(sums.nameless)) {
        SampledModule module = sums.modules.get(library.name);
        String id = module == null ? "" : module.buildId();
        section.say(
            "%s: %s is in functions without a name. Install its debug symbols (%s), or build it"
                + " without stripping it.",
            library.name, of(library), id.isEmpty() ? "no build id" : "build id " + id);
      }
      for (Sums.Sum library : worthAdvice(sums.guessed)) {
        section.say(
            "%s: %s is in stacks where the caller of its function is a guess, as it has no unwind"
                + " tables there. Build it with -fasynchronous-unwind-tables.",
            library.name, of(library));
      }
      return section;
    }

    /** The libraries without the vdso, which nobody builds and which has no symbols elsewhere. */
    private List<Sums.Sum> worthAdvice(Sums<String> libraries) {
      return libraries.sorted().stream()
          .filter(library -> share(library) >= SMALL)
          .filter(library -> !CodeOrigin.VDSO.equals(library.name))
          .limit(MAX_SENTENCES)
          .toList();
    }

    ReportSection next(String file) {
      ReportSection section = new ReportSection("What to try next");
      section.commands.add(JAR + "flamegraph " + file);
      if (sums.all.count < GOOD_SAMPLES) {
        long interval = figure(Counter.INTERVAL);
        boolean canBeShorter = interval > SHORT_INTERVAL;
        section.say(
            "%,d samples are few; record for longer%s.",
            sums.all.count,
            canBeShorter ? ", or with a shorter interval than " + Timespans.format(interval) : "");
        section.commands.add(
            JAR + "record PID -d 60s" + (canBeShorter ? " --interval 1ms" : "") + " -o longer.jfr");
      }
      if (figure(Counter.CPU_KERNEL) > 0) {
        section.say(
            "The kernel's %s were not sampled; as root the engine perf samples them.",
            Texts.seconds(figure(Counter.CPU_KERNEL)));
        section.commands.add(JAR + "record PID -d 60s --engine perf -o kernel.jfr");
      }
      section.commands.add(JAR + "report --diff " + file + " AFTER.jfr");
      return section;
    }

    private long figure(Counter counter) {
      return recording.figures().get(counter);
    }

    private long length() {
      return Texts.nanos(Duration.between(recording.first(), recording.last()));
    }
  }

  /** A part as a percentage; 0 if the whole is 0. */
  static String percent(long part, long all) {
    return percent(all <= 0 ? 0 : (double) part / all);
  }

  /** A percentage that is not rounded up to 100 %. */
  static String percent(double share) {
    double shown = share < 1 ? Math.min(share, ALMOST_ALL) : share;
    return Texts.of("%.1f %%", 100 * shown);
  }
}
