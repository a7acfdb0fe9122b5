package stackweave.agent.cli.read;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.UsageException;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.read.choice.JdkEvent;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * The options for which samples are read: of CPU time or wall-clock time and which states, or of
 * another event; and with which labels.
 */
public final class TimeOptions {
  @Option(names = "--cpu", description = "CPU time, which is the default.")
  private boolean cpu;

  @Option(
      names = "--wall",
      description =
          "Wall-clock time of all threads, on a CPU and waiting, instead of CPU time. The recording"
              + " must have samples of waiting threads: record --wall 20ms.")
  private boolean wall;

  @Option(
      names = {"-s", "--state"},
      paramLabel = "LIST",
      split = ",",
      description =
          "Only threads in these states, with commas between: 'on CPU' or running, 'waiting for a"
              + " CPU' or runnable, blocked (all others), monitor, park, Object.wait, sleep, socket,"
              + " file, pipe, epoll, futex (all locks), 'system call', ... States of waiting are of"
              + " wall-clock time.")
  private List<String> states = List.of();

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description =
          "Only samples that the application labelled so, such as endpoint=/orders or trace_id=...;"
              + " again with another key: those with both, with another value: those with either.")
  private List<String> labels = List.of();

  @Option(
      names = "--event",
      paramLabel = "NAME",
      description =
          "The samples of an event instead of those of CPU time, such as page-faults, as record"
              + " --event page-faults took them. Their weights are numbers of events. Also any"
              + " event with a stack trace of JFR, such as jdk.FileRead; execution-samples are"
              + " jdk.ExecutionSample and jdk.NativeMethodSample.")
  private String event = "";

  @Option(
      names = "--alloc",
      description =
          "Java objects that were allocated, in bytes, by the events of JFR or async-profiler:"
              + " jdk.ObjectAllocationSample, or those of TLABs. The innermost frame is the object's"
              + " class. The same as --event allocations.")
  private boolean allocations;

  @Option(
      names = "--lock",
      description =
          "Time for which threads waited for locks, by the events of JFR or async-profiler:"
              + " jdk.JavaMonitorEnter, and jdk.ThreadPark but of pools that wait for work. The"
              + " innermost frame is the lock's class. The same as --event lock-waits.")
  private boolean locks;

  @Option(
      names = "--native-memory",
      description =
          "The net growth of native memory by the stacks that touched it first, as record"
              + " --native-memory recorded it. The same as --event native-memory.")
  private boolean nativeMemory;

  @Option(
      names = "--native-allocations",
      description =
          "What is live of the memory that malloc gave, by the stacks that called it, as record"
              + " --native-allocations recorded it. The same as --event native-allocations.")
  private boolean nativeAllocations;

  /** Of a recording: JFR's own samples of time where it has none of the agent. */
  SampleChoice ofFile() throws UsageException {
    return choice().orOfJdk();
  }

  /** Samples of the agent, if no event of JFR is asked for. */
  SampleChoice choice() throws UsageException {
    for (String label : labels) {
      if (label.indexOf('=') < 1) {
        throw new UsageException("'" + label + "' is no label: key=value");
      }
    }
    return kind().withLabels(labels);
  }

  private SampleChoice kind() throws UsageException {
    Set<String> events = new TreeSet<>();
    if (!event.isBlank()) {
      events.add(event.strip());
    }
    if (allocations) {
      events.add(JdkEvent.ALLOCATIONS);
    }
    if (locks) {
      events.add(JdkEvent.LOCK_WAITS);
    }
    if (nativeMemory) {
      events.add(SampledEvent.NATIVE_MEMORY);
    }
    if (nativeAllocations) {
      events.add(SampledEvent.NATIVE_ALLOCATIONS);
    }
    SampleChoice ofTime = SampleChoice.of(wall, states);
    if (cpu && (ofTime.isWall() || !events.isEmpty())) {
      throw new UsageException(
          "--cpu is of CPU time, and not of "
              + (events.isEmpty() ? "waiting threads" : "the event " + events.iterator().next()));
    }
    if (events.isEmpty()) {
      return ofTime;
    }
    String chosen = events.iterator().next();
    SampleChoice ofEvent = SampleChoice.ofEvent(chosen);
    if (events.size() > 1) {
      throw new UsageException("samples are of one event, not of " + String.join(" and ", events));
    } else if (wall || !states.isEmpty() && !ofEvent.isOfJdk()) {
      throw new UsageException(
          (wall ? "--wall" : "--state") + " is of time, and not of the event " + chosen);
    }
    return ofEvent.isOfJdk() ? ofTime.withEvent(chosen) : ofEvent;
  }
}
