package stackweave.agent.jdk;

import java.lang.instrument.Instrumentation;

/**
 * The arguments of this VM: those of the command line, of {@code JAVA_TOOL_OPTIONS} and {@code
 * JDK_JAVA_OPTIONS}, and of option files; of equal names the last counts. Read from {@code
 * jdk.internal.misc.VM.getRuntimeArguments} (JDK 17 to 25), which loads hardly a class.
 */
public final class VmArguments {
  private VmArguments() {}

  /** All of them; none where they can't be read. */
  public static String[] read(Instrumentation instrumentation) {
    try {
      JavaBase.export(instrumentation, "jdk.internal.misc");
      Object arguments =
          Class.forName("jdk.internal.misc.VM").getMethod("getRuntimeArguments").invoke(null);
      return arguments == null ? new String[0] : (String[]) arguments;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return new String[0];
    }
  }
}
