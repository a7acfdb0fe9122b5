package stackweave.live.calls;

import com.github.luben.zstd.Zstd;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import jdk.jfr.Recording;

/**
 * Calls native methods of all sorts and says what came of it, and how long its slow calls took by
 * its own clock. The library's code is in {@link NativeCallsIT}.
 */
final class NativeCallsApp {
  static final int QUICK = 100_000;
  static final int SLEEPS = 4;
  static final int SLEEP_MILLIS = 25;
  static final int BEYOND = 7;

  /** Its native method is registered by the library, by its own name. */
  static final class Registered {
    private Registered() {}

    static native int add(int a, int b);
  }

  /** Has no serialVersionUID: its native method counts in the one that the JDK makes. */
  @SuppressWarnings("serial") // that it has no version is the point
  static final class Unversioned implements Serializable {
    native int number();
  }

  static final class Versioned implements Serializable {
    private static final long serialVersionUID = 7;

    native int number();
  }

  private NativeCallsApp() {}

  static native void quick();

  static native void sleep(long millis);

  /** Throws IllegalStateException. */
  static native int fail(int number);

  static native int overloaded(int number);

  static native long overloaded(long number);

  static synchronized native boolean locked(double a, float b, byte c, Object d);

  native String echo(String text, long[] numbers);

  /** Called by {@link #locked}. */
  static boolean isHeld() {
    return Thread.holdsLock(NativeCallsApp.class);
  }

  public static void main(String[] arguments) throws Exception {
    System.load(Path.of(arguments[0]).toString());
    say("add", Registered.add(2, 3));
    say("overloaded", overloaded(4) + overloaded(5L));
    say("locked", locked(1, 2, (byte) 3, null) + " " + isHeld());
    say("echo", new NativeCallsApp().echo("same", new long[1]));
    say("versions", version(Unversioned.class) + " " + version(Versioned.class));
    say("numbers", new Unversioned().number() + " " + new Versioned().number());
    byte[] text = "compressed".repeat(100).getBytes(StandardCharsets.UTF_8);
    byte[] back = Zstd.decompress(Zstd.compress(text), text.length);
    say("zstd", Arrays.equals(text, back));
    try {
      say("fail", fail(1));
    } catch (IllegalStateException e) {
      say("fail", e.getMessage() + " " + e.getStackTrace()[1].getMethodName());
    }
    for (int i = 0; i < QUICK; i++) {
      quick();
    }
    for (int i = 0; i < SLEEPS; i++) {
      long begin = System.nanoTime();
      sleep(SLEEP_MILLIS);
      say("slept", System.nanoTime() - begin);
    }
    say(
        "methods",
        Arrays.stream(NativeCallsApp.class.getDeclaredMethods())
            .map(Method::getName)
            .filter(name -> name.endsWith("quick"))
            .sorted()
            .toList());
    ofOwnRecordings(Path.of(arguments[1]));
  }

  private static long version(Class<?> type) {
    return ObjectStreamClass.lookup(type).getSerialVersionUID();
  }

  /** Two recordings, one after the other, that ask for different methods at other thresholds. */
  private static void ofOwnRecordings(Path directory) throws Exception {
    try (Recording first = new Recording()) {
      first
          .enable("stackweave.NativeCall")
          .with("filter", "*NativeCallsApp::sl*;none.Such::*")
          .with("threshold", "1 ms");
      first.start();
      quick();
      sleep(2);
      first.stop();
      for (int i = 0; i < BEYOND; i++) {
        sleep(2); // of no recording
      }
      first.dump(directory.resolve("first.jfr"));
    }
    try (Recording second = new Recording()) {
      second
          .enable("stackweave.NativeCall")
          .with("filter", "*NativeCallsApp::*ick")
          .with("threshold", "0 ns");
      second.start();
      quick();
      sleep(2);
      second.stop();
      second.dump(directory.resolve("second.jfr"));
    }
  }

  private static void say(String what, Object result) {
    System.out.println(what + ": " + result);
  }
}
