package stackweave.agent.attach;

import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** Properties of a JVM that no specification names. */
public final class JvmProperties {
  /** Of the agent properties: the options that the VM was started with, wherever they came from. */
  public static final String VM_ARGUMENTS = "sun.jvm.args";

  /** Where JFR keeps what is not in a recording's file yet; from a JVM's first recording on. */
  public static final String JFR_REPOSITORY = "jdk.jfr.repository";

  private JvmProperties() {}

  /**
   * The agent properties of this JVM, which tools read through an attach: {@code
   * jdk.internal.vm.VMSupport.getAgentProperties}, as in JDK 17 to 25.
   *
   * @throws ReflectiveOperationException or a LinkageError where the JDK keeps them elsewhere
   */
  public static Properties ofAgents(Instrumentation instrumentation)
      throws ReflectiveOperationException {
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of("jdk.internal.vm", Set.of(JvmProperties.class.getModule())),
        Map.of(),
        Set.of(),
        Map.of());
    return (Properties)
        Class.forName("jdk.internal.vm.VMSupport").getMethod("getAgentProperties").invoke(null);
  }
}
