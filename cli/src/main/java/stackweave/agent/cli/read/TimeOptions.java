package stackweave.agent.cli.read;

import java.util.List;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.UsageException;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * The options for which samples are read: of CPU time or wall-clock time and which states, or of
 * another event; and with which labels.
 */
public final class TimeOptions {
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
              + " --event page-faults took them. Their weights are numbers of events.")
  private String event = "";

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

  SampleChoice choice() throws UsageException {
    for (String label : labels) {
      if (label.indexOf('=') < 1) {
        throw new UsageException("'" + label + "' is no label: key=value");
      }
    }
    return kind().withLabels(labels);
  }

  private SampleChoice kind() throws UsageException {
    if (nativeMemory) {
      event = SampledEvent.NATIVE_MEMORY;
    } else if (nativeAllocations) {
      event = SampledEvent.NATIVE_ALLOCATIONS;
    }
    if (!event.isEmpty()) {
      if (wall || !states.isEmpty()) {
        throw new UsageException(
            "--event counts events and no time: it can't be combined with --wall or --state");
      }
      return SampleChoice.ofEvent(event.strip());
    }
    return SampleChoice.of(wall, states);
  }
}
