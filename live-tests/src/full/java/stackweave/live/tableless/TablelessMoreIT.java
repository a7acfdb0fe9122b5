package stackweave.live.tableless;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.live.support.Native;
import stackweave.live.support.Stacks;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;
import stackweave.testing.Exact;
import stackweave.testing.Jdk;

/** Code without unwind tables in a library that is told by its name. */
@Exact
class TablelessMoreIT extends Tableless {

  /** oneDNN's code can bear no signal; it is told by its name. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void noSignalComesBesideCodeThatHasItsStackInTheHeap(Jdk jdk, @TempDir Path directory)
      throws IOException {
    Path named = Files.copy(library, directory.resolve("libdnnl.so.3"));
    Ended ended =
        Jvms.on(jdk)
            .under(Native.program("refuse_perf").toString())
            .agent("interval=1ms", "engine=timer")
            .recording(Jvms.WITHOUT_JFR_SAMPLES)
            .run(
                "stackweave.live.tableless.TablelessApp",
                named.toString(),
                synchronous.toString(),
                "2")
            .successfully();
    Stacks stacks = Stacks.of(ended.recording());
    List<String> reasons =
        EventsByTime.statuses(ended.recording()).stream()
            .map(event -> event.getString("engineReason"))
            .toList();
    assertTrue(
        reasons.get(reasons.size() - 1).contains("timer: libdnnl.so.3 generates code"),
        reasons::toString);
    long sampled =
        stacks.samples().stream().filter(sample -> !chain(sample.frames()).isEmpty()).count();
    assertTrue(sampled < 10, () -> sampled + " samples: " + stacks.status());
  }
}
