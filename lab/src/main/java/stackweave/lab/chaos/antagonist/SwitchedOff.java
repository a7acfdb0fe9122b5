package stackweave.lab.chaos.antagonist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/** Creates and deletes the switch file: an engine stops and starts again every few seconds. */
final class SwitchedOff implements Antagonist {
  private static final int ON_MILLIS = 2_500;
  private static final int OFF_MILLIS = 1_500;

  @Override
  public String targets() {
    return "end and start of an engine in the middle of a recording";
  }

  @Override
  public List<String> counts() {
    return List.of("times switched off");
  }

  @Override
  public String agentOptions(Path directory) {
    return "switch=" + directory.resolve("off");
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException, IOException {
    Path off = time.directory().resolve("off");
    while (!time.isOver()) {
      Thread.sleep(ON_MILLIS);
      Files.writeString(off, "");
      tally.one(0);
      Thread.sleep(OFF_MILLIS);
      Files.delete(off);
    }
  }
}
