package stackweave.agent.boot;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.net.URLDecoder;
import java.util.Locale;

/**
 * Entry points for {@code -javaagent} and late attach; {@link Command} has the command line's. An
 * exception out of premain would abort the JVM, and so would a class file too new for it: hence
 * this class is compiled for Java 8, names no type that a JVM could lack, and turns every failure
 * into one line on stderr.
 */
public final class Boot {

  private static final int OLDEST_JAVA = 17;
  private static final int USAGE_ERROR = 2;

  /** Begins the part of an order with the path of the jar; as {@code attach.Order} writes it. */
  private static final String JAR_KEY = ";jar=";

  /** The class loader of all our other classes: one for the life of the JVM. */
  private static InnerClassLoader inner;

  private Boot() {}

  /**
   * Called by the JVM for {@code -javaagent:jar=options}, before main(). If a service's
   * JAVA_TOOL_OPTIONS name the agent, the JVM of each command has it, too. Such a command runs
   * here, before JFR begins: it is not sampled, and JFR cannot start the service's recording in it,
   * which would empty the recording's file.
   */
  public static void premain(String options, Instrumentation instrumentation) {
    String[] arguments = ofCommand();
    if (arguments != null) {
      try {
        command(arguments, instrumentation);
      } catch (Throwable e) {
        sayFailed(e);
        System.exit(USAGE_ERROR);
      }
      return;
    }
    call("start", options, instrumentation);
  }

  /** The command's arguments if this JVM runs one and its user asked for no agent, else null. */
  private static String[] ofCommand() {
    try {
      String jar = System.getProperty("java.class.path", "");
      boolean isOurs =
          System.getProperty("sun.java.command", "").startsWith(jar)
              && new File(jar).getCanonicalFile().equals(jar(null).getCanonicalFile());
      return isOurs ? Command.arguments(jar) : null;
    } catch (Exception e) {
      return null; // a security manager forbids it, so this JVM runs an application
    }
  }

  /**
   * Called by the JVM when the agent is attached to a running application, also for each order of
   * the command line to an agent that is there.
   */
  public static void agentmain(String options, Instrumentation instrumentation) {
    call("attach", options, instrumentation);
  }

  /** Runs a command of the command line. */
  static void command(String[] arguments, Instrumentation instrumentation) throws Throwable {
    String unfit = whyUnfit();
    if (unfit != null) {
      System.err.println("stackweave: " + unfit);
      System.exit(USAGE_ERROR);
    }
    Command.nameProcess();
    try {
      loader(jar(null), instrumentation)
          .loadClass("stackweave.agent.Commands")
          .getMethod("main", String[].class)
          .invoke(null, (Object) arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static void call(String method, String options, Instrumentation instrumentation) {
    try {
      String unfit = whyUnfit();
      if (unfit != null) {
        say(unfit + ": the application runs without sampling");
        return;
      }
      loader(jar(options), instrumentation)
          .loadClass("stackweave.agent.Agent")
          .getMethod(method, String.class, Instrumentation.class)
          .invoke(null, options, instrumentation);
    } catch (InvocationTargetException e) {
      sayFailed(e.getCause());
    } catch (Throwable e) {
      sayFailed(e);
    }
  }

  private static synchronized ClassLoader loader(File jar, Instrumentation instrumentation)
      throws Exception {
    if (inner == null) {
      inner = InnerClassLoader.open(jar, instrumentation);
    }
    return inner;
  }

  /** Where an order says that the jar is, else where this class came from. */
  private static File jar(String options) throws Exception {
    int key = options == null || !options.startsWith("order=") ? -1 : options.indexOf(JAR_KEY);
    if (key < 0) {
      return new File(Boot.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
    int end = options.indexOf(';', key + 1);
    String encoded = options.substring(key + JAR_KEY.length(), end < 0 ? options.length() : end);
    return new File(URLDecoder.decode(encoded, "UTF-8"));
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

  /** 8 for "1.8" (which is too old anyway), 17 for "17"; 0 if it is no number. */
  private static int feature(String specification) {
    try {
      return Integer.parseInt(specification);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static void sayFailed(Throwable failure) {
    try {
      // A policy for -Djava.security.manager, up to JDK 23.
      String remedy =
          failure instanceof SecurityException
              ? "; to let it, add to the policy: grant codeBase \"file:/path/of/the/agent.jar\""
                  + " { permission java.security.AllPermission; };"
              : "";
      say(
          "could not start ("
              + oneLine(failure)
              + "): the application runs without sampling"
              + remedy);
    } catch (Throwable e) {
      // Not even that line can be made, for lack of memory or stack. The application goes on.
    }
  }

  private static String oneLine(Throwable failure) {
    return String.valueOf(failure).replace('\n', ' ').replace('\r', ' ');
  }

  private static void say(String message) {
    System.err.println("stackweave: " + message);
  }
}
