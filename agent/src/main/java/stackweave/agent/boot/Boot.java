package stackweave.agent.boot;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.util.Locale;

/**
 * Way in for {@code -javaagent}, late attach and {@code java -jar}. An exception out of premain
 * would abort the JVM, and so would a class file too new for it: hence this class is compiled for
 * Java 8, names no type that a JVM could lack, and turns every failure into one line on stderr.
 */
public final class Boot {

  private static final int OLDEST_JAVA = 17;
  private static final int USAGE_ERROR = 2;
  private static boolean started;

  private Boot() {}

  /** Called by the JVM for {@code -javaagent:jar=options}, before main(). */
  public static void premain(String options, Instrumentation instrumentation) {
    startAgent(options, instrumentation);
  }

  /** Called by the JVM when the agent is attached to a running application. */
  public static void agentmain(String options, Instrumentation instrumentation) {
    startAgent(options, instrumentation);
  }

  /** The command line: {@code java -jar stackweave-agent.jar …}. */
  public static void main(String[] arguments) throws Throwable {
    String unfit = whyUnfit();
    if (unfit != null) {
      System.err.println("stackweave: " + unfit);
      System.exit(USAGE_ERROR);
    }
    try {
      innerClass("stackweave.agent.cli.Main", null)
          .getMethod("main", String[].class)
          .invoke(null, (Object) arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static void startAgent(String options, Instrumentation instrumentation) {
    try {
      if (!isFirstStart()) {
        say("is already here: the second start is ignored");
        return;
      }
      String unfit = whyUnfit();
      if (unfit != null) {
        say(unfit + ": the application runs without sampling");
        return;
      }
      innerClass("stackweave.agent.Agent", instrumentation)
          .getMethod("start", String.class, Instrumentation.class)
          .invoke(null, options, instrumentation);
    } catch (InvocationTargetException e) {
      sayFailed(e.getCause());
    } catch (Throwable e) {
      sayFailed(e);
    }
  }

  private static synchronized boolean isFirstStart() {
    boolean first = !started;
    started = true;
    return first;
  }

  private static Class<?> innerClass(String name, Instrumentation instrumentation)
      throws Exception {
    File jar = new File(Boot.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return InnerClassLoader.open(jar, instrumentation).loadClass(name);
  }

  /** What is wrong with this JVM, or null. */
  private static String whyUnfit() {
    String java = System.getProperty("java.specification.version", "unknown");
    if (feature(java) < OLDEST_JAVA) {
      return "needs Java " + OLDEST_JAVA + " or newer, and this is Java " + java;
    }
    String os = System.getProperty("os.name", "unknown");
    if (!os.toLowerCase(Locale.ROOT).equals("linux")) {
      return "works on Linux only, and this is " + os;
    }
    return null;
  }

  /** 8 of "1.8" (and too old anyway), 17 of "17"; 0 for what is no number. */
  private static int feature(String specification) {
    try {
      return Integer.parseInt(specification);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static void sayFailed(Throwable failure) {
    try {
      say("could not start (" + oneLine(failure) + "): the application runs without sampling");
    } catch (Throwable e) {
      // Out of memory or of stack even for that sentence: the application matters more.
    }
  }

  private static String oneLine(Throwable failure) {
    return String.valueOf(failure).replace('\n', ' ').replace('\r', ' ');
  }

  private static void say(String message) {
    System.err.println("stackweave: " + message);
  }
}
