package stackweave.live.outside;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.lab.recording.PlainDefinitions.Frame;
import stackweave.lab.recording.PlainDefinitions.SampledThread;
import stackweave.lab.recording.PlainRecording;
import stackweave.live.support.Jvms;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Exact;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;
import stackweave.testing.Starved;

/** Names of threads as {@code record} reads them from outside, judged by the frames of samples. */
@Exact
class NamesIT {
  /** The kernel has so many bytes of a name, of which so many are certainly the first. */
  private static final int COMM = 15;

  private static final int COMM_START = 7;

  /** So long before and after a thread was renamed, its samples may have either name. */
  private static final Duration LATE = Duration.ofSeconds(4);

  private static final int FIRST_VIRTUAL = 3;
  private static final int ENOUGH = 50;

  static Stream<Arguments> runs() {
    return Jdk.onEnds()
        .flatMap(
            jdk ->
                Stream.of("UseG1GC", "UseShenandoahGC")
                    .map(collector -> Arguments.of(jdk, collector)));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void namesAreThoseOfTheThreadsThatRan(Jdk jdk, String collector) throws Exception {
    ForkedJvm jvm = Jvms.hotWithoutLibraries(jdk).options("-XX:+" + collector, "-Xmx128m");
    Path file = jvm.directory().resolve("outside.jfr");
    Files.deleteIfExists(file);
    RunningCommand running = jvm.start(NamesApp.class.getName());
    Thread.sleep(1_000);
    Ended record =
        Commands.run(ForkedJvm.agentCommand("record", running.pid(), "-d", "12s", "-o", file))
            .successfully();
    running.process().getOutputStream().close();
    running.end();
    assertFalse(record.err().contains("from inside"), record.err());
    Judge judge = new Judge(PlainRecording.of(file));
    System.out.println(jdk + " " + collector + ": " + judge);
    if (judge.right < ENOUGH) {
      throw Starved.because(judge + record.out());
    }
    assertAll(
        () -> assertEquals(List.of(), judge.wrong),
        () -> assertTrue(judge.byKernel <= judge.right / 2, judge::toString));
    if (collector.equals("UseG1GC") && jdk.feature() >= 21) {
      assertTrue(judge.virtual > 0, judge::toString);
    }
  }

  /** Goes through the samples. */
  private static final class Judge {
    final List<String> wrong = new ArrayList<>();
    int right;
    int virtual;
    int byKernel;
    int unknown;
    private final List<Instant> renamings = new ArrayList<>();

    Judge(PlainRecording recording) {
      int before = 0;
      for (RecordedEvent sample : recording.samples) {
        int number = numberOf(recording, sample);
        if (number == 1 || number == 2) {
          if (before + number == 1 + 2) {
            renamings.add(sample.getStartTime());
          }
          before = number;
        }
      }
      for (RecordedEvent sample : recording.samples) {
        int number = numberOf(recording, sample);
        SampledThread thread = recording.threadOf(sample);
        if (number >= 0 && thread != null) {
          judge(number, thread, sample.getStartTime());
        }
      }
    }

    /** Which method of the application is in the stack; −1 for none. */
    private static int numberOf(PlainRecording recording, RecordedEvent sample) {
      for (Frame frame : recording.frames(sample)) {
        String method = recording.definitions.methods.get(frame.methodId()).name();
        if (method.matches("work[0-9]")) {
          return method.charAt(4) - '0';
        }
      }
      return -1;
    }

    private void judge(int number, SampledThread thread, Instant at) {
      String name = NamesApp.NAMES[number];
      String other = number == 1 || number == 2 ? NamesApp.NAMES[3 - number] : name;
      if (thread.name().equals(name)) {
        right++;
        virtual += thread.virtual() ? 1 : 0;
      } else if (number >= FIRST_VIRTUAL && thread.virtual() && thread.name().isEmpty()) {
        unknown++;
      } else if (isOfKernel(thread.name(), name)) {
        byKernel++;
      } else if (!isRenamedAbout(at)
          || !thread.name().equals(other) && !isOfKernel(thread.name(), other)) {
        wrong.add(thread + " at " + at + " runs work" + number);
      }
    }

    private boolean isRenamedAbout(Instant at) {
      return renamings.stream()
          .anyMatch(each -> Duration.between(each, at).abs().compareTo(LATE) < 0);
    }

    private static boolean isOfKernel(String found, String name) {
      return found.startsWith(name.substring(0, COMM_START)) && found.length() <= COMM;
    }

    @Override
    public String toString() {
      return "%d right, %d of them virtual; %d by the kernel, %d unknown"
          .formatted(right, virtual, byKernel, unknown);
    }
  }
}
