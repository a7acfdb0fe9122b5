package stackweave.agent.cli.jvm;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import stackweave.agent.InvalidOptionException;
import stackweave.agent.Options;
import stackweave.agent.attach.Order;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.process.TargetJvm.Presence;

/** The command {@code attach PID [OPTIONS]}: loads the agent into a running JVM. */
@Command(
    name = "attach",
    description = {
      "Puts the agent into a running JVM, where it sleeps until a recording asks for samples.",
      "JDK 21 and later warn on the JVM's stderr of any agent that comes so."
    },
    customSynopsis = "java -jar stackweave-agent.jar attach PID [OPTIONS]",
    footer = {
      "",
      "OPTIONS, with commas between; README.md says more of each:",
      "  interval=10ms         CPU time between two samples of a thread, 100us to 60s",
      "  depth=4096            most frames of one stack, up to 8192",
      "  engine=auto           auto, perf, timer, perf-thread or perf-user",
      "  event=page-faults     an event that is sampled instead of CPU time",
      "  wall=20ms             waiting threads are sampled, too, looked at so often",
      "  wall-threads=NAME*    which threads are looked at while they wait",
      "  blocked=5ms           an event for each time that a thread is blocked so long",
      "  native-memory=on      which stacks native memory grows by",
      "  calls=CLASS::METHOD   native methods whose calls are timed, with ; between",
      "  weave=on              samples are jdk.ExecutionSample events, too",
      "  drain=10              percent of a core for the agent's own thread, 1 to 100",
      "  perf-memory=64        MiB of the kernel's memory for perf's events",
      "  min-heap=256          MiB; JVMs with a smaller -Xmx are left alone",
      "  hooks=auto            auto, on, off, early: may classes of the JDK change",
      "  memory=auto           auto, process_vm_readv or proc_self_mem",
      "  jit=c1                c1 or all: which compilers may compile the agent",
      "  record-failures=DIR   keeps incomplete stacks as files there; every:DIR: all",
      "  switch=/FILE          switches sampling off while that file is there",
      "  sample=explicit       only recordings whose settings name NativeSample,",
      "                        WallSample or Blocked of stackweave"
    })
public final class AttachCommand implements Callable<Integer> {

  @Mixin private TargetOption target;

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

  private FailedException isThere() {
    String there = "process " + target.pid() + ": an agent is there already";
    return options.isBlank()
        ? new FailedException(there)
        : new FailedException(
            "%s: its options stay, %s was not applied; detach it first (%s)",
            there, options, OwnCommand.line("detach", target.pid()));
  }
}
