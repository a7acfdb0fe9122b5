package stackweave.live.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.ObjectStreamClass;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;

/**
 * Timed native methods do what they do untimed, and the events have each call: compared with what
 * {@link NativeCallsApp} says of itself. No figure depends on how fast the machine is.
 */
class NativeCallsIT {
  static final String APP = NativeCallsApp.class.getName();
  private static final long NANOS_PER_MILLI = 1_000_000;

  private static final String CODE =
      """
      #include <jni.h>
      #include <unistd.h>
      #define APP(type, name) JNIEXPORT type JNICALL Java_stackweave_live_calls_NativeCallsApp_##name
      APP(void, quick)(JNIEnv *env, jclass self) {}
      APP(void, sleep)(JNIEnv *env, jclass self, jlong millis) { usleep(1000 * millis); }
      APP(jint, fail)(JNIEnv *env, jclass self, jint number) {
        jclass type = (*env)->FindClass(env, "java/lang/IllegalStateException");
        (*env)->ThrowNew(env, type, "thrown");
        return number;
      }
      APP(jint, overloaded__I)(JNIEnv *env, jclass self, jint number) { return number + 1; }
      APP(jlong, overloaded__J)(JNIEnv *env, jclass self, jlong number) { return number + 100; }
      APP(jboolean, locked)
      (JNIEnv *env, jclass self, jdouble a, jfloat b, jbyte c, jobject d) {
        jmethodID held = (*env)->GetStaticMethodID(env, self, "isHeld", "()Z");
        return a == 1 && b == 2 && c == 3 && !d && (*env)->CallStaticBooleanMethod(env, self, held);
      }
      APP(jstring, echo)(JNIEnv *env, jobject self, jstring text, jlongArray numbers) {
        return text;
      }
      APP(jint, 00024Unversioned_number)(JNIEnv *env, jobject self) { return 11; }
      APP(jint, 00024Versioned_number)(JNIEnv *env, jobject self) { return 12; }
      static jint add(JNIEnv *env, jclass self, jint a, jint b) { return a + b; }
      JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
        JNIEnv *env;
        (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6);
        JNINativeMethod method = {"add", "(II)I", add};
        const char *name = "stackweave/live/calls/NativeCallsApp$Registered";
        (*env)->RegisterNatives(env, (*env)->FindClass(env, name), &method, 1);
        return JNI_VERSION_1_6;
      }
      """;

  record Counts(long calls, long nanos, long slowCalls, long slowNanos) {
    Counts plus(Counts other) {
      return new Counts(
          calls + other.calls,
          nanos + other.nanos,
          slowCalls + other.slowCalls,
          slowNanos + other.slowNanos);
    }
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void eachCallIsCountedAndSlowOnesHaveAnEvent(Jdk jdk) throws Exception {
    ForkedJvm jvm =
        Jvms.on(jdk)
            .agent(
                "calls=stackweave.live.calls.NativeCallsApp*::*;com.github.luben.zstd.*::*;"
                    + "java.util.zip.CRC32::*")
            .recording();
    Path directory = jvm.directory();
    Ended ended = jvm.run(APP, library(directory).toString(), directory.toString()).successfully();

    Map<String, List<String>> said = said(ended);
    assertEquals(List.of("5"), said.get("add"));
    assertEquals(List.of("110"), said.get("overloaded"));
    assertEquals(List.of("true false"), said.get("locked"));
    assertEquals(List.of("same"), said.get("echo"));
    assertEquals(List.of("11 12"), said.get("numbers"));
    assertEquals(List.of("true"), said.get("zstd"));
    assertEquals(List.of("thrown fail"), said.get("fail"));
    assertEquals(List.of("[quick, stackweave$native$quick]"), said.get("methods"));
    long own = ObjectStreamClass.lookup(NativeCallsApp.Unversioned.class).getSerialVersionUID();
    assertEquals(List.of(own + " 7"), said.get("versions"), "as without wrapper");
    assertTrue(ended.err().contains("not timed: java.util.zip.CRC32"), ended.err());

    List<RecordedEvent> events = RecordingFile.readAllEvents(jvm.recordingFile());
    Map<String, Counts> counts = counts(events);
    for (String method : List.of("fail", "locked", "echo", "Registered.add", "Versioned.number")) {
      Counts once = counts.get(method);
      assertEquals(1, once.calls + once.slowCalls, method);
    }
    assertTrue(!counts.containsKey("Unversioned.number"), counts::toString);
    if (jdk.feature() < 22) { // where zstd-jni has JNI methods, and no calls by FFM
      assertTrue(
          counts.keySet().stream().anyMatch(name -> name.contains("zstd")), counts::toString);
    }
    Counts quick = counts.get("quick");
    // Those of the app's own recordings, too, as long as they ran.
    assertEquals(NativeCallsApp.QUICK + 2, quick.calls + quick.slowCalls);

    List<RecordedEvent> slow = slow(events, "sleep");
    List<String> slept = said.get("slept");
    assertEquals(NativeCallsApp.SLEEPS, slept.size());
    for (int i = 0; i < slept.size(); i++) {
      long nanos = slow.get(i).getDuration().toNanos();
      assertTrue(nanos >= NativeCallsApp.SLEEP_MILLIS * NANOS_PER_MILLI * 0.99, slow::toString);
      assertTrue(nanos <= Long.parseLong(slept.get(i)) * 1.01, slow::toString);
      assertEquals(List.of("sleep", "main"), methods(slow.get(i)));
    }
    assertEquals(slow.size(), counts.get("sleep").slowCalls);

    // Below the threshold of the other recording.
    assertTrue(
        !slow(RecordingFile.readAllEvents(directory.resolve("first.jfr")), "sleep").isEmpty());
  }

  static Path library(Path directory) throws IOException, InterruptedException {
    String include = Path.of(System.getProperty("java.home"), "include").toString();
    return Gcc.library(directory, "calls", CODE, "-I" + include, "-I" + include + "/linux");
  }

  private static Map<String, List<String>> said(Ended ended) {
    Map<String, List<String>> said = new TreeMap<>();
    for (String line : ended.outLines()) {
      int colon = line.indexOf(": ");
      if (colon > 0) {
        said.computeIfAbsent(line.substring(0, colon), key -> new ArrayList<>())
            .add(line.substring(colon + 2));
      }
    }
    return said;
  }

  /** By the name behind that of the app's class. */
  static Map<String, Counts> counts(List<RecordedEvent> events) {
    Map<String, Counts> counts = new TreeMap<>();
    for (RecordedEvent event : events) {
      if (event.getEventType().getName().equals("stackweave.NativeCallCounts")) {
        counts.merge(
            event.getString("method").replace(APP, "").substring(1),
            new Counts(
                event.getLong("calls"),
                event.getLong("time"),
                event.getLong("slowCalls"),
                event.getLong("slowTime")),
            Counts::plus);
      }
    }
    return counts;
  }

  static List<RecordedEvent> slow(List<RecordedEvent> events, String method) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals("stackweave.NativeCall"))
        .filter(event -> event.getString("method").equals(APP + "." + method))
        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
        .toList();
  }

  /** Without the frames of the event itself. */
  private static List<String> methods(RecordedEvent event) {
    return event.getStackTrace().getFrames().stream()
        .map(RecordedFrame::getMethod)
        .filter(method -> method.getType().getName().equals(APP))
        .map(method -> method.getName())
        .toList();
  }
}
