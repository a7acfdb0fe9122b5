package stackweave.jfr.export.report;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.export.Export;
import stackweave.jfr.export.FlameGraphExport;
import stackweave.jfr.export.Times;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;

/**
 * Says where the CPU time of a recording went, what stands out, how far that can be trusted, and
 * what to do next: as text of 80 columns or as an HTML page. Each sentence names the figures that
 * it follows from.
 */
public final class ReportExport implements Export {
  /** A purpose of the JVM stands out if it surely takes more of the CPU time than this. */
  private static final double MUCH_GC = 0.10;

  private static final double MUCH_JIT = 0.20;

  /** A thread is worth a core from here on. */
  private static final double ONE_CORE = 0.90;

  /** What is less is not worth a sentence. */
  private static final double SMALL = 0.01;

  private static final int MAX_PLACES = 20;
  private static final int MAX_LIBRARIES = 5;
  private static final int MAX_CALLERS = 3;
  private static final int MAX_SENTENCES = 5;

  /** Weights that differ so little are not worth a sentence. */
  static final double ALMOST = 0.95;

  private static final double ALMOST_ALL = 0.999;
  private static final long SHORT_INTERVAL = 1_000_000;
  private static final long MIN_THREAD_SAMPLES = 50;
  private static final long GOOD_SAMPLES = 1_000;

  /** Groups of waiting threads, and places of each, beside what the CPU did. */
  private static final int FEW_GROUPS = 4;

  private static final int FEW_WAITS = 3;

  private static final int FEW_BLOCKS = 5;

  private static final int MANY_CALLS = 10;

  /** The same in a report of waiting alone. */
  private static final int MANY_GROUPS = 12;

  private static final int MANY_WAITS = 6;
  private static final int MANY_BLOCKS = 20;
  private static final String JAR = "java -jar stackweave-agent.jar ";
  private static final String NO_BUILD_ID = "no build id";

  private final String title;
  private final String file;
  private final boolean html;

  /** The same recording opened with its waiting threads; null for none. */
  private final SampledRecording waiting;

  /**
   * @param title the heading, such as the recording's file name
   * @param file the recording in the commands that are proposed, quoted for a shell
   * @param html whether it is a page
   */
  public ReportExport(String title, String file, boolean html) {
    this(title, file, html, null);
  }

  private ReportExport(String title, String file, boolean html, SampledRecording waiting) {
    this.waiting = waiting;
    this.title = title;
    this.file = file;
    this.html = html;
  }

  /**
   * The same that also says what threads wait for.
   *
   * @param recording the one that is reported on, opened with its waiting threads
   */
  public ReportExport withWaiting(SampledRecording recording) {
    return new ReportExport(title, file, html, recording);
  }

  /** Of a recording that was opened with its waiting threads it says what these wait for alone. */
  @Override
  public void write(SampledRecording recording, OutputStream out)
      throws IOException, RecordingException {
    SectionWriter.write(title, sections(recording), html, out);
  }

  private List<Section> sections(SampledRecording recording)
      throws IOException, RecordingException {
    if (recording.choice().isEvent()) {
      List<Section> sections = new ArrayList<>(new EventReport(recording).sections());
      sections.add(sections.size() - 1, new LabelReport(recording).section());
      return sections;
    }
    if (recording.choice().isWall()) {
      WaitReport report = new WaitReport(recording, MANY_GROUPS, MANY_WAITS);
      List<Section> sections = new ArrayList<>(report.sections());
      sections.add(new LabelReport(recording).section());
      sections.add(new BlockReport(recording).section(MANY_BLOCKS));
      sections.addAll(CallReport.sections(recording.file(), recording, MANY_CALLS));
      sections.add(report.trust(true));
      sections.add(nextOfWaiting());
      return sections;
    }
    Facts facts = new Facts(recording, new ReportSums(recording, false));
    List<Section> sections =
        new ArrayList<>(
            List.of(
                facts.places(),
                facts.callers(),
                facts.transitions(),
                facts.jvm(),
                facts.threads()));
    Section trust = facts.trust();
    Section next = facts.next(file);
    if (waiting != null) {
      WaitReport report = new WaitReport(waiting, FEW_GROUPS, FEW_WAITS);
      sections.addAll(report.sections());
      trust.sentences.addAll(report.trust(false).sentences);
      next.commands.add(JAR + "report --wall " + file);
    }
    sections.add(new LabelReport(recording).section());
    sections.add(new BlockReport(recording).section(FEW_BLOCKS));
    sections.addAll(new StallReport(recording).sections());
    SampledRecording all = waiting == null ? recording : waiting;
    sections.addAll(CallReport.sections(recording.file(), all, MANY_CALLS));
    for (String event : recording.eventSamples().keySet()) {
      next.commands.add(JAR + "report --event " + event + " " + file);
    }
    sections.addAll(List.of(trust, facts.betterStacks(), next));
    return sections;
  }

  private Section nextOfWaiting() {
    Section section = new Section("What to try next");
    section.commands.add(JAR + "flamegraph --wall " + file);
    section.commands.add(JAR + "report " + file);
    return section;
  }

  /** The sections of one recording. */
  private static final class Facts {
    private final SampledRecording recording;
    private final ReportSums sums;
    private final boolean bySamples;

    Facts(SampledRecording recording, ReportSums sums) {
      this.recording = recording;
      this.sums = sums;
      this.bySamples = sums.nanos() <= 0;
    }

    private double share(ReportSums.Sum sum) {
      return sums.share(sum, bySamples);
    }

    private Shares.Interval interval(ReportSums.Sum sum) {
      return Shares.of(share(sum), sums.effective(sum, bySamples));
    }

    private String of(ReportSums.Sum sum) {
      Shares.Interval interval = interval(sum);
      return String.format(
          Locale.ROOT,
          "%s of the %s (%,d samples; 95 %%: %s to %s)",
          percent(share(sum)),
          bySamples ? "samples" : "CPU time",
          sum.samples(),
          percent(interval.low()),
          percent(interval.high()));
    }

    Section places() {
      Section section = new Section("Where the CPU time went");
      section.sentences.add(
          String.format(
              Locale.ROOT,
              "%,d samples stand for %s of CPU time within %s. LOW and HIGH are the ends of the"
                  + " 95 %% interval. A native library has what it calls, but for libjvm and the"
                  + " kernel.",
              sums.samples(),
              Times.seconds(sums.nanos()),
              Times.seconds(length())));
      section.head = List.of("SHARE", "LOW", "HIGH", "PLACE");
      List<List<String>> rows = new ArrayList<>();
      List<ReportSums.Sum> all = new ArrayList<>();
      List<String> names = new ArrayList<>();
      for (ReportSums.Sum group : sums.groups.sorted()) {
        if (group.name.equals(Place.JAVA) || group.name.equals(Place.STUBS)) {
          all.add(group);
          names.add(group.name);
        } else {
          for (ReportSums.Sum place : sums.places.get(group.name).sorted()) {
            all.add(place);
            names.add(place.name.isEmpty() ? group.name : group.name + ": " + place.name);
          }
        }
      }
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        order.add(i);
      }
      order.sort((a, b) -> Double.compare(share(all.get(b)), share(all.get(a))));
      double rest = 0;
      for (int place : order) {
        ReportSums.Sum sum = all.get(place);
        if (rows.size() < MAX_PLACES) {
          Shares.Interval interval = interval(sum);
          rows.add(
              List.of(
                  percent(share(sum)),
                  percent(interval.low()),
                  percent(interval.high()),
                  names.get(place)));
        } else {
          rest += share(sum);
        }
      }
      if (rest > 0) {
        String more = String.format(Locale.ROOT, "in %,d more places", all.size() - MAX_PLACES);
        rows.add(List.of(percent(rest), "", "", more));
      }
      section.rows.addAll(rows);
      return section;
    }

    Section callers() {
      Section section = new Section("Java callers of native libraries");
      section.head = List.of("OF ALL", "OF IT", "LIBRARY AND CALLER");
      int libraries = 0;
      for (ReportSums.Sum library : sums.places.getOrDefault(Place.LIBRARY, none()).sorted()) {
        ReportSums.Sums callers = sums.callers.get(library.name);
        if (callers == null || share(library) < SMALL || ++libraries > MAX_LIBRARIES) {
          continue;
        }
        section.rows.add(List.of(percent(share(library)), "", library.name));
        callers.sorted().stream()
            .limit(MAX_CALLERS)
            .forEach(
                caller ->
                    section.rows.add(
                        List.of(
                            percent(share(caller)),
                            percent(share(caller) / share(library)),
                            Section.INDENT + caller.name)));
      }
      return section;
    }

    private static ReportSums.Sums none() {
      return new ReportSums.Sums();
    }

    Section transitions() {
      Section section = new Section("JNI calls that cost more than their work");
      for (ReportSums.Sum transition : sums.transitions.sorted()) {
        ReportSums.Sum work = sums.work.get(transition.name);
        long all = transition.samples() + work.samples();
        Shares.Interval interval = Shares.of((double) transition.samples() / all, all);
        if (interval.low() > 0.5
            && share(transition) >= SMALL
            && section.sentences.size() < MAX_SENTENCES) {
          section.sentences.add(
              String.format(
                  Locale.ROOT,
                  "%s: %,d samples are in its transition to native code, %,d in the code that it"
                      + " calls (%s to %s of its samples are transition). Fewer calls that do more"
                      + " would help: it takes %s.",
                  transition.name,
                  transition.samples(),
                  work.samples(),
                  percent(interval.low()),
                  percent(interval.high()),
                  of(transition)));
        }
      }
      return section;
    }

    Section jvm() {
      Section section = new Section("What stands out in the JVM");
      ReportSums.Sums places = sums.places.getOrDefault(Place.JVM, none());
      stands(section, places.get(Purpose.GC.label()), MUCH_GC, "jcmd PID GC.heap_info says more");
      stands(
          section,
          places.get(Purpose.JIT.label()),
          MUCH_JIT,
          "usual in a program's first minute; record later for its steady state");
      return section;
    }

    private void stands(Section section, ReportSums.Sum sum, double much, String advice) {
      if (interval(sum).low() > much) {
        section.sentences.add(
            sum.name
                + " takes "
                + of(sum)
                + ", which is more than "
                + percent(much)
                + ": "
                + advice
                + ".");
      }
    }

    Section threads() {
      Section section = new Section("Threads that keep a core busy");
      for (ReportSums.Sum thread : sums.threads.sorted()) {
        if (thread.samples() < MIN_THREAD_SAMPLES) {
          continue;
        }
        // From the first sample to the last there is one interval less than there are samples.
        long interval =
            Math.max(
                recording.figures().get(Counter.INTERVAL),
                recording.figures().get(Counter.INTERVAL_REACHED));
        long length = length() + (interval > 0 ? interval : thread.nanos() / thread.samples());
        double cores = (double) thread.nanos() / length;
        if (cores >= ONE_CORE && section.sentences.size() < MAX_SENTENCES) {
          section.sentences.add(
              String.format(
                  Locale.ROOT,
                  "%s used %s of CPU time within %s: %.2f cores.",
                  thread.name,
                  Times.seconds(thread.nanos()),
                  Times.seconds(length),
                  cores));
        }
      }
      return section;
    }

    Section trust() {
      Section section = new Section("How far to trust this");
      double worth = sums.effective(bySamples);
      Shares.Interval tenth = Shares.of(0.1, worth);
      section.sentences.add(
          String.format(
              Locale.ROOT,
              "With %,d samples%s a share of 10 %% may as well be one from %s to %s.",
              sums.samples(),
              worth > ALMOST * sums.samples()
                  ? ""
                  : String.format(
                      Locale.ROOT, ", whose weights make them as precise as %,.0f,", worth),
              percent(tenth.low()),
              percent(tenth.high())));
      long used = recording.figures().get(Counter.CPU_USED);
      if (used > 0) {
        long covered = recording.figures().get(Counter.CPU_COVERED);
        section.sentences.add(
            String.format(
                Locale.ROOT,
                "The samples cover %s of the %s of CPU time that was used.",
                percent(Math.min(1, (double) covered / used)),
                Times.seconds(used)));
      }
      section.sentences.addAll(FlameGraphExport.notes(recording));
      long cut = 0;
      for (ReportSums.Sum sum : sums.incomplete.sorted()) {
        cut += sum.samples();
      }
      section.sentences.add(
          String.format(
              Locale.ROOT,
              "%,d of %,d stacks (%s) do not reach their thread's first frame.",
              cut,
              sums.samples(),
              percent((double) cut / sums.samples())));
      if (sums.frameless.samples() > 0) {
        section.sentences.add(
            String.format(
                Locale.ROOT,
                "%,d of %,d samples, %s of the %s, have no stack at all: what they were spent in is"
                    + " not known.",
                sums.frameless.samples(),
                sums.samples(),
                percent(share(sums.frameless)),
                bySamples ? "samples" : "CPU time"));
      }
      section.head = List.of("STACKS", "SHARE", "ENDS WITH");
      sums.incomplete.sorted().stream()
          .limit(MAX_SENTENCES)
          .forEach(
              sum ->
                  section.rows.add(
                      List.of(
                          String.format(Locale.ROOT, "%,d", sum.samples()),
                          percent((double) sum.samples() / sums.samples()),
                          sum.name)));
      return section;
    }

    Section betterStacks() {
      Section section = new Section("What would make stacks better");
      for (ReportSums.Sum library : sums.nameless.sorted()) {
        if (share(library) < SMALL || section.sentences.size() >= MAX_SENTENCES) {
          break;
        }
        SampledModule module = sums.modules.get(library.name);
        if (isVdso(module)) {
          continue;
        }
        String id = module == null || module.buildId().isEmpty() ? NO_BUILD_ID : module.buildId();
        section.sentences.add(
            library.name
                + ": "
                + of(library)
                + " is in functions without a name. Install its debug symbols ("
                + (id.equals(NO_BUILD_ID) ? id : "build id " + id)
                + "), or build it without stripping it.");
      }
      int before = section.sentences.size();
      for (ReportSums.Sum library : sums.guessed.sorted()) {
        if (share(library) < SMALL || section.sentences.size() >= before + MAX_SENTENCES) {
          break;
        }
        if (isVdso(sums.modules.get(library.name))) {
          continue;
        }
        section.sentences.add(
            library.name
                + ": "
                + of(library)
                + " is in stacks where the caller of its function is a guess, as it has no unwind"
                + " tables there. Build it with -fasynchronous-unwind-tables.");
      }
      return section;
    }

    /** Nobody builds it, or has its symbols elsewhere. */
    private static boolean isVdso(SampledModule module) {
      return module != null && module.isVdso();
    }

    Section next(String file) {
      Section section = new Section("What to try next");
      section.commands.add(JAR + "flamegraph " + file);
      if (sums.samples() < GOOD_SAMPLES) {
        long interval = recording.figures().get(Counter.INTERVAL);
        boolean canBeShorter = interval > SHORT_INTERVAL;
        section.sentences.add(
            String.format(
                Locale.ROOT,
                "%,d samples are few; record for longer%s.",
                sums.samples(),
                canBeShorter
                    ? ", or with a shorter interval than " + Timespans.format(interval)
                    : ""));
        section.commands.add(
            JAR + "record PID -d 60s" + (canBeShorter ? " --interval 1ms" : "") + " -o longer.jfr");
      }
      if (recording.figures().get(Counter.CPU_KERNEL) > 0) {
        section.sentences.add(
            "The kernel's "
                + Times.seconds(recording.figures().get(Counter.CPU_KERNEL))
                + " were not sampled; as root the engine perf samples them.");
        section.commands.add(JAR + "record PID -d 60s --engine perf -o kernel.jfr");
      }
      section.commands.add(JAR + "report --diff " + file + " AFTER.jfr");
      return section;
    }

    private long length() {
      return Times.nanos(Duration.between(recording.first(), recording.last()));
    }
  }

  /** A percentage that is not rounded up to 100 %. */
  static String percent(double share) {
    double shown = share < 1 ? Math.min(share, ALMOST_ALL) : share;
    return String.format(Locale.ROOT, "%.1f %%", 100 * shown);
  }
}
