package stackweave.lab.border;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import stackweave.jfr.export.stall.CriticalSection;
import stackweave.jfr.export.stall.Stalls;
import stackweave.jfr.read.SampledRecording;
import stackweave.lab.Built;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/**
 * Compares what a recording says of loads, native calls and critical sections with what {@link
 * BorderProgram} says of itself. {@code lab/border} runs it. Arguments: homes of JDKs.
 */
public final class Border {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final int LOADS_MILLIS = 150;

  private static final String CONSTRUCTOR =
      """
      #include <unistd.h>
      __attribute__((constructor)) static void begin(void) { usleep(%d * 1000); }
      """;

  private static final String ON_LOAD =
      """
      #include <jni.h>
      #include <unistd.h>
      JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
        usleep(%d * 1000);
        return JNI_VERSION_1_8;
      }
      """;

  private static final String METHODS =
      """
      #include <errno.h>
      #include <jni.h>
      #include <time.h>
      #define M(type, name) \\
        JNIEXPORT type JNICALL Java_stackweave_lab_border_BorderProgram_##name
      static long now(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return t.tv_sec * 1000000000L + t.tv_nsec;
      }
      static void work(long micros) { for (long end = now() + micros * 1000; now() < end;) {} }
      static void nap(long micros) {
        struct timespec t = {micros / 1000000, micros % 1000000 * 1000};
        while (nanosleep(&t, &t) && errno == EINTR) {}
      }
      M(void, quick)(JNIEnv *e, jclass c) {}
      M(void, sleep)(JNIEnv *e, jclass c, jlong micros) { nap(micros); }
      M(void, compute)(JNIEnv *e, jclass c, jlong micros) { work(micros); }
      M(void, ofThreads)(JNIEnv *e, jclass c, jlong micros) { nap(micros); }
      M(void, locked)(JNIEnv *e, jclass c, jlong micros) { nap(micros); }
      M(void, overloaded__I)(JNIEnv *e, jclass c, jint micros) { nap(micros); }
      M(void, overloaded__J)(JNIEnv *e, jclass c, jlong micros) { nap(micros); }
      M(void, 00024Instance_ofInstance)(JNIEnv *e, jobject o, jlong micros) { nap(micros); }
      M(void, 00024Kind_ofEnum)(JNIEnv *e, jobject o, jlong micros) { nap(micros); }
      M(void, thrower)(JNIEnv *e, jclass c, jlong micros) {
        nap(micros);
        (*e)->ThrowNew(e, (*e)->FindClass(e, "java/io/IOException"), "thrown");
      }
      M(jint, recursive)(JNIEnv *e, jclass c, jint depth, jlong micros) {
        nap(micros);
        if (depth == 1) return 1;
        jmethodID again = (*e)->GetStaticMethodID(e, c, "again", "(IJ)I");
        return (*e)->CallStaticIntMethod(e, c, again, depth - 1, micros);
      }
      M(void, critical)(JNIEnv *e, jclass c, jbyteArray array, jlong micros) {
        void *p = (*e)->GetPrimitiveArrayCritical(e, array, 0);
        work(micros);
        (*e)->ReleasePrimitiveArrayCritical(e, array, p, 0);
      }
      """;

  private record Amount(long number, long nanos) {
    private Amount plus(Amount other) {
      return new Amount(number + other.number, nanos + other.nanos);
    }
  }

  private Border() {}

  /** Prints the table. */
  public static void main(String[] arguments) throws Exception {
    Markdown table = new Markdown();
    table.table("JDK", "what", ">times", ">recorded", ">ms", ">recorded, ms", ">difference, %");
    for (String home : arguments) {
      compare(Jdk.in(Path.of(home)), table);
    }
    System.out.println(table);
  }

  private static void compare(Jdk jdk, Markdown table) throws Exception {
    Path directory = Files.createTempDirectory("border");
    Path include = Path.of(System.getProperty("java.home"), "include"); // jni.h is the same in all
    String[] headers = {"-I" + include, "-I" + include.resolve("linux")};
    Gcc.library(directory, "border", METHODS, headers);
    Gcc.library(directory, "constructor", CONSTRUCTOR.formatted(LOADS_MILLIS));
    Gcc.library(directory, "second", CONSTRUCTOR.formatted(LOADS_MILLIS / 2));
    Gcc.library(directory, "onload", ON_LOAD.formatted(LOADS_MILLIS), headers);
    Ended ended =
        ForkedJvm.on(jdk, directory)
            .classPath(Built.classes())
            .agent("calls=stackweave.lab.border.*::*", "hooks=early")
            .recording("jdk.GCLocker#threshold=0ms")
            .options("-Xmx256m", "-XX:+UseG1GC")
            .options("--add-exports", "java.base/jdk.internal.vm=ALL-UNNAMED")
            .run(BorderProgram.class.getName(), directory.toString())
            .successfully();
    Map<String, Amount> recorded = recorded(ended.recording());
    for (String line : ended.outLines()) {
      String[] words = line.split(" ");
      if (words.length == 4) {
        String what = words[0] + " " + words[1];
        Amount truth = new Amount(Long.parseLong(words[2]), Long.parseLong(words[3]));
        row(jdk, what, truth, recorded.get(what), table);
      }
    }
  }

  private static void row(Jdk jdk, String what, Amount truth, Amount seen, Markdown table) {
    Amount found = seen == null ? new Amount(0, 0) : seen;
    table.row(
        Integer.toString(jdk.feature()),
        "`" + what.replaceAll("extracted\\d+", "extracted") + "`",
        String.format(Locale.ROOT, "%,d", truth.number),
        String.format(Locale.ROOT, "%,d", found.number),
        String.format(Locale.ROOT, "%,.1f", truth.nanos / NANOS_PER_MILLI),
        String.format(Locale.ROOT, "%,.1f", found.nanos / NANOS_PER_MILLI),
        String.format(Locale.ROOT, "%.1f", 100.0 * (found.nanos - truth.nanos) / truth.nanos));
  }

  private static Map<String, Amount> recorded(Path recording) throws Exception {
    Map<String, Amount> amounts = new TreeMap<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
      switch (event.getEventType().getName()) {
        case "stackweave.NativeLibraryLoad" -> {
          Path file = Path.of(event.getString("path")).getFileName();
          add(amounts, "load " + file, 1, event.getDuration().toNanos());
        }
        case "stackweave.NativeCallCounts" -> {
          String method = event.getString("method");
          add(
              amounts,
              "call "
                  + method.substring(method.lastIndexOf('.') + 1)
                  + event.getString("descriptor"),
              event.getLong("calls") + event.getLong("slowCalls"),
              event.getLong("time") + event.getLong("slowTime"));
        }
        default -> {
          // Not of the border.
        }
      }
    }
    List<CriticalSection> held = new ArrayList<>(criticalSections(recording));
    held.forEach(each -> add(amounts, "held critical", 1, each.nanos()));
    return amounts;
  }

  private static List<CriticalSection> criticalSections(Path recording) throws Exception {
    return Stalls.of(SampledRecording.open(recording)).criticalSections();
  }

  private static void add(Map<String, Amount> amounts, String what, long number, long nanos) {
    amounts.merge(what, new Amount(number, nanos), Amount::plus);
  }
}
