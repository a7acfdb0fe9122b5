package stackweave.agent.cli.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordingRoomTest {
  private static final String REPOSITORY = "/tmp/jfr/2026_11_29_19_43_21_7";

  /** As JDK 17 and 25 answer. */
  @ParameterizedTest
  @CsvSource({
    "'Current configuration:\n\nRepository path: /a b/2026_7\n\nStack depth: 64', /a b/2026_7",
    "'Current configuration:\n\nPreserve repository: false\nRepository path: N/A\n', /tmp",
    "Module jdk.jfr not found., /tmp",
    "'', /tmp",
  })
  void theNextChunkIsWhereJfrSaysOrInTheTemporaryDirectory(String said, String repository) {
    assertEquals(repository, RecordingRoom.repository(said, "/tmp"));
  }

  @Test
  void filesMustBeAllowedToBecomeLongerThanAChunk() {
    assertEquals(
        "not recording: files of process 7 may grow to 32 KiB (ulimit -f), JFR ends a JVM in which"
            + " it can't write, and a recording needs 64 MiB; start it with a higher limit, or,"
            + " where its hard limit allows that: prlimit --pid 7 --fsize=67108864:",
        RecordingRoom.tooShort(7, limits("32768")));
    assertEquals("", RecordingRoom.tooShort(7, limits(Long.toString(64 << 20))));
    assertEquals("", RecordingRoom.tooShort(7, limits("unlimited")));
    assertEquals("", RecordingRoom.tooShort(7, List.of()));
  }

  private static List<String> limits(String file) {
    return List.of(
        "Limit                     Soft Limit           Hard Limit           Units     ",
        "Max cpu time              unlimited            unlimited            seconds   ",
        "Max file size             " + file + "       unlimited            bytes     ");
  }

  @Test
  void aRecordingDoesNotBeginWithoutRoomForAChunkAndItsCopy() {
    assertEquals("", RecordingRoom.tooFull(7, RecordingRoom.START_BYTES, REPOSITORY));
    assertEquals("", RecordingRoom.tooFull(7, Long.MAX_VALUE, REPOSITORY));
    assertEquals(
        "not recording: 300 KiB are left in "
            + REPOSITORY
            + ", JFR ends a JVM in which it can't write, and a recording needs 48 MiB; free some, or"
            + " give JFR another directory: jcmd 7 JFR.configure repositorypath=DIR",
        RecordingRoom.tooFull(7, 300 << 10, REPOSITORY));
  }

  @Test
  void aRecordingEndsWhileThereIsRoomForItsEndAndItsFile() {
    long end = RecordingRoom.END_BYTES;
    assertEquals("", RecordingRoom.shortage(end, 0, REPOSITORY));
    assertEquals("", RecordingRoom.shortage(end + 5, 5, REPOSITORY));
    assertEquals(
        "23 MiB are left in " + REPOSITORY + ", and JFR ends a JVM in which it can't write",
        RecordingRoom.shortage(end - 1, 0, REPOSITORY));
    assertEquals(
        "40 MiB are left in "
            + REPOSITORY
            + ", of which the recording's file takes 20 MiB, and JFR ends a JVM in which it can't"
            + " write",
        RecordingRoom.shortage(40 << 20, 20 << 20, REPOSITORY));
  }
}
