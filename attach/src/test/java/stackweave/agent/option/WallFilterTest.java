package stackweave.agent.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WallFilterTest {
  @ParameterizedTest
  @CsvSource({
    "main, true",
    "worker-1, true",
    "Reference Handler, false",
    "Common-Cleaner, false",
    "JFR Recorder Thread, false",
    "stackweave-drain, false",
    "VirtualThread-unparker, false",
    "VirtualThread-unblocker, false",
    "MasterPoller, false",
    "Master-Poller, false",
    "Read-Updater, false",
    "Finalizers of mine, true",
  })
  void byDefaultTheJvmsOwnThreadsAreLeftOut(String name, boolean included) {
    assertEquals(included, WallFilter.DEFAULT.includes(name));
  }

  @ParameterizedTest
  @CsvSource({
    "worker-*, worker-1, true",
    "worker-*, main, false",
    "worker-*|main, main, true",
    "!worker-*, worker-1, false",
    "!worker-*, main, true",
    "!worker-*, Finalizer, false",
    "worker-*|!worker-9, worker-9, false",
    "worker-*|!worker-9, worker-8, true",
    "all, Finalizer, true",
    "all|!Fin*, Finalizer, false",
    "Finalizer, Finalizer, true",
    "a.c, abc, false",
    "*, anything, true",
    "http-*-exec-*, http-nio-8080-exec-3, true",
  })
  void namesIncludeAndExclude(String option, String name, boolean included) {
    assertEquals(included, WallFilter.parse(option).includes(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "!", "a||b", "a|", "|a"})
  void anEmptyNameIsAnError(String option) {
    assertNull(WallFilter.parse(option));
  }
}
