package stackweave.agent.cli.read;

import java.util.List;
import picocli.CommandLine.Option;
import stackweave.jfr.read.choice.SampleChoice;

/** The options that say which time is looked at: CPU time, or wall-clock time, of which states. */
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

  SampleChoice choice() {
    return SampleChoice.of(wall, states);
  }
}
