package stackweave.agent.cli.jvm;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import stackweave.agent.attach.Order;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.process.TargetJvm;

/** The command {@code detach PID}: stops the agent in a JVM and undoes what it did. */
@Command(
    name = "detach",
    description = {
      "Takes the agent out of a JVM: no sampling, no thread, no listener, no event of it is left.",
      "Its classes stay loaded; attach puts it to work again."
    })
public final class DetachCommand implements Callable<Integer> {

  @Mixin private TargetOption target;

  @Override
  public Integer call() throws FailedException {
    try (TargetJvm jvm = TargetJvm.open(target.pid())) {
      if (jvm.presence() == TargetJvm.Presence.NONE) {
        throw target.hasNoAgent();
      }
      String more = jvm.order(Order.Kind.DETACH, Map.of());
      System.out.println("detached from " + target.pid() + Plain.line(more));
      return 0;
    }
  }
}
