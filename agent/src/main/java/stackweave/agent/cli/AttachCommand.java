package stackweave.agent.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import stackweave.agent.attach.Order;

/** {@code attach PID [OPTIONS]}. */
@Command(
    name = "attach",
    description = {
      "Puts the agent into a running JVM, where it sleeps until a recording asks for samples.",
      "JDK 21 and later warn on the JVM's stderr of any agent that comes so."
    },
    customSynopsis = "java -jar stackweave-agent.jar attach PID [OPTIONS]")
final class AttachCommand implements Callable<Integer> {

  @Mixin private TargetOption target;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "OPTIONS",
      description = "As after -javaagent:stackweave-agent.jar=, such as interval=1ms.")
  private String options = "";

  @Override
  public Integer call() throws FailedException {
    try (TargetJvm jvm = TargetJvm.open(target.pid())) {
      jvm.order(Order.Kind.ATTACH, Map.of(Order.Name.OPTIONS, options));
    }
    System.out.println(
        "attached to "
            + target.pid()
            + "; a recording starts sampling: jcmd "
            + target.pid()
            + " JFR.start name=slow filename=slow.jfr duration=60s");
    return 0;
  }
}
