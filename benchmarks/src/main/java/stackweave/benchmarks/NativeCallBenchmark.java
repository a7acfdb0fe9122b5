package stackweave.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import stackweave.testing.Gcc;

/**
 * What a wrapper of a native method costs: an empty native call without one, with one that no
 * recording switches on, with one that times it below the threshold, and with one that writes an
 * event. Run it in the project's directory with the agent's jar first on the class path, since the
 * benchmarks' jar has the agent's classes, too: {@code java -cp
 * agent/target/stackweave-agent.jar:benchmarks/target/benchmarks.jar org.openjdk.jmh.Main
 * NativeCall}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NativeCallBenchmark {
  private static final String AGENT =
      "-javaagent:agent/target/stackweave-agent.jar=sample=explicit,"
          + "calls=stackweave.benchmarks.NativeCallBenchmark$Empty::*";

  /** Apart, so that JMH's own classes are as they are without the agent. */
  static final class Empty {
    private Empty() {}

    static native int call(int number);
  }

  /** A recording that times the calls. */
  @State(Scope.Benchmark)
  public static class Timed {
    private final Recording recording = new Recording();

    String threshold() {
      return "60 s";
    }

    /** Starts it. */
    @Setup
    public void start() {
      recording.enable("stackweave.NativeCall").with("threshold", threshold());
      recording.start();
    }

    /** Ends it. */
    @TearDown
    public void stop() {
      recording.close();
    }
  }

  /** The same with an event for each call. */
  @State(Scope.Benchmark)
  public static class Written extends Timed {
    @Override
    String threshold() {
      return "0 ns";
    }
  }

  private int number;

  /** Makes the library. */
  @Setup
  public void load() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("empty");
    String include = Path.of(System.getProperty("java.home"), "include").toString();
    String code =
        """
        #include <jni.h>
        JNIEXPORT jint JNICALL Java_stackweave_benchmarks_NativeCallBenchmark_00024Empty_call(
            JNIEnv *env, jclass self, jint number) { return number; }
        """;
    Path library = Gcc.library(directory, "empty", code, "-I" + include, "-I" + include + "/linux");
    System.load(library.toString());
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  /** Without agent. */
  @Benchmark
  public int plain() {
    return Empty.call(number++);
  }

  /** With a wrapper that is off. */
  @Fork(jvmArgsAppend = AGENT)
  @Benchmark
  public int off() {
    return Empty.call(number++);
  }

  /** Timed, and below the threshold. */
  @Fork(jvmArgsAppend = AGENT)
  @Benchmark
  public int timed(Timed recording) {
    return Empty.call(number++);
  }

  /** Timed, with an event. */
  @Fork(jvmArgsAppend = AGENT)
  @Benchmark
  public int written(Written recording) {
    return Empty.call(number++);
  }
}
