package stackweave.engine.timer;

import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.engine.Burner;
import stackweave.engine.EngineConfig;
import stackweave.engine.Recorder;
import stackweave.engine.SignalTargets;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.NativeBuffer;
import stackweave.testing.Gcc;

/** The timer engine at work on this JVM. */
@ResourceLock("TimerEngine") // one runs in a process
abstract class TimerEngineRuns {
  static final long MILLISECOND = 1_000_000;

  /** A real-time signal that the engine would not choose by itself. */
  static final int TAKEN = 44;

  @TempDir static Path directory;
  static NativeLibrary signals;

  @BeforeAll
  static void load() throws Exception {
    Path library = Gcc.compile(directory, "signals.c", "signals.so", "-shared", "-fPIC");
    signals = NativeLibrary.getInstance(library.toString());
  }

  @AfterAll
  static void restore() {
    call("to_default", TAKEN);
  }

  static EngineConfig every(long nanos) {
    return new EngineConfig(nanos, EngineConfig.MAX_STACK_BYTES, EngineKind.TIMER);
  }

  static int call(String function, Object... arguments) {
    return signals.getFunction(function).invokeInt(arguments);
  }

  interface Body {
    void run(TimerEngine engine) throws Exception;
  }

  /** On a thread of its own, which is the engine's drain thread. */
  static void with(EngineConfig config, int signal, Body body) throws Exception {
    with(config, signal, SignalTargets.NONE, body);
  }

  static void with(EngineConfig config, int signal, SignalTargets targets, Body body)
      throws Exception {
    Throwable[] failure = {null};
    Thread drain =
        new Thread(
            () -> {
              try (TimerEngine engine = TimerEngine.start(config, targets, signal)) {
                body.run(engine);
              } catch (Throwable e) {
                failure[0] = e;
              }
            });
    drain.start();
    drain.join();
    if (failure[0] != null) {
      throw new AssertionError(failure[0]);
    }
  }

  /** The kernel's ids of this process's timers that send a signal. */
  static List<Integer> timers(int signal) throws IOException {
    List<Integer> timers = new ArrayList<>();
    int id = -1;
    for (String line : Files.readAllLines(Path.of("/proc/self/timers"))) {
      if (line.startsWith("ID: ")) {
        id = Integer.parseInt(line.substring(4).strip());
      } else if (line.startsWith("signal: " + signal + "/")) {
        timers.add(id);
      }
    }
    return timers;
  }

  /** Loads the engine's classes anew, and no others. */
  static final class ReloadingLoader extends URLClassLoader {
    ReloadingLoader(URL[] path) {
      super(path, TimerEngineRuns.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(TimerEngine.class.getPackageName())) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : findClass(name);
      }
    }
  }

  static int sampleOnce() throws Exception {
    return Recorder.record(every(MILLISECOND), () -> Burner.start("once", 600 * MILLISECOND).join())
        .samples
        .size();
  }

  static long descend(int frames) {
    if (frames > 0) {
      return descend(frames - 1) + 1;
    }
    try (NativeBuffer time = NativeBuffer.allocate(16)) {
      long end = Burner.threadCpu(time) + 600 * MILLISECOND;
      long turns = 0;
      while (Burner.threadCpu(time) < end) {
        turns++;
      }
      return turns;
    }
  }
}
