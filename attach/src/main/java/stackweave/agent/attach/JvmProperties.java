package stackweave.agent.attach;

import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** Properties of a JVM that are not specified. */
public final class JvmProperties {
  /** An agent property: the options with which the VM was started, wherever they came from. */
  public static final String VM_ARGUMENTS = "sun.jvm.args";

  /**
   * Directory of JFR's data that are in no recording's file yet; set by a JVM's first recording.
   */
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
