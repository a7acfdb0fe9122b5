package stackweave.agent.cli.jvm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import stackweave.agent.attach.Order;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.process.TargetJvm.Presence;
import stackweave.agent.option.InvalidOptionException;
import stackweave.agent.option.Option;
import stackweave.agent.option.Options;

/** The command {@code attach PID [OPTIONS]}: loads the agent into a running JVM. */
@Command(
    name = "attach",
    description = {
      "Puts the agent into a running JVM, where it sleeps until a recording asks for samples.",
      "JDK 21 and later print a warning about each attached agent on the JVM's stderr."
    })
public final class AttachCommand implements Callable<Integer> {

  @Mixin private TargetOption target;

  /** Adds the options to the help. */
  @Spec
  void describe(CommandSpec spec) {
    List<String> footer =
        new ArrayList<>(
            List.of("", "OPTIONS, with commas between; docs/options.md has their values:"));
    footer.addAll(Option.help());
    spec.usageMessage().footer(footer.toArray(new String[0]));
  }

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "OPTIONS",
      description = "As after -javaagent:stackweave-agent.jar=, such as interval=1ms.")
  private String options = "";

  @Override
  public Integer call() throws FailedException {
    try {
      // Before anything is loaded: loading makes JDK 21 and later print a warning in that JVM.
      Options.parse(options);
    } catch (InvalidOptionException e) {
      throw new FailedException(e.getMessage());
    }
    try (TargetJvm jvm = TargetJvm.open(target.pid())) {
      Presence presence = jvm.presence();
      // Each load of an agent makes JDK 21 and later print a warning on the JVM's stderr.
      if (presence == Presence.PRESENT || presence == Presence.DORMANT) {
        throw isThere();
      }
      jvm.order(Order.Kind.ATTACH, Map.of(Order.Name.OPTIONS, options));
    }
    System.out.println(
        String.format(
            "attached to %s; a recording starts sampling: jcmd %s JFR.start name=slow"
                + " filename=slow.jfr duration=60s",
            target.pid(), target.pid()));
    return 0;
  }

  private FailedException isThere() throws FailedException {
    String there = "process " + target.pid() + ": an agent is there already";
    return options.isBlank()
        ? new FailedException(there)
        : new FailedException(
            "%s: its options stay, %s was not applied; detach it first (%s)",
            there, options, OwnCommand.line("detach", target.pid()));
  }
}
