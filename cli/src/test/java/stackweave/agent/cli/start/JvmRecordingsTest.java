package stackweave.agent.cli.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.cli.start.JvmRecordings.Found;

/** What JVMs leave in their directory; JFR's own reader reads it. */
class JvmRecordingsTest {
  /** No process has it: it is above the kernel's largest. */
  private static final int ENDED = 99_999_999;

  /** Where a chunk's header has its state. */
  private static final int STATE = 64;

  @TempDir Path directory;

  @Name("test.Mark")
  private static final class Mark extends Event {
    int number;
  }

  private Path chunk(String name, int number) throws Exception {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    try (Recording recording = new Recording()) {
      recording.start();
      Mark mark = new Mark();
      mark.number = number;
      mark.commit();
      recording.stop();
      recording.dump(file);
    }
    return file;
  }

  private static List<Integer> marks(Path file) throws Exception {
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("test.Mark"))
        .map(event -> event.getInt("number"))
        .toList();
  }

  private JvmRecordings recordings() {
    return new JvmRecordings(directory);
  }

  /** Files that JFR names, and one that the agent has named as the JVM's repository. */
  @Test
  void whatJvmsHaveWrittenIsFound() throws Exception {
    chunk("hotspot-pid-" + ENDED + "-id-1-2026_11_30_19_10_58.jfr", 1);
    chunk("2026_11_30_19_10_57_" + (ENDED + 1) + ".jfr", 2);
    Files.createDirectory(directory.resolve("2026_11_30_19_10_57_" + (ENDED + 1)));
    Files.createFile(
        directory.resolve("hotspot-pid-" + (ENDED + 2) + "-id-1-2026_11_30_19_10_57.jfr"));
    List<Found> found = recordings().found();
    assertEquals(List.of((long) ENDED, ENDED + 1L), pids(found));
    assertEquals(List.of(1), marks(found.get(0).file()));
    assertEquals(List.of(2), marks(found.get(1).file()));
    assertFalse(found.get(0).wasKilled() || found.get(1).wasKilled());
  }

  /** The last chunk is open, as its JVM left it; one has not been flushed. */
  @Test
  void thatOfAKilledOneIsJoined() throws Exception {
    String repository = "2026_11_30_19_11_10_" + ENDED;
    chunk(repository + "/2026_11_30_19_11_10.jfr", 1);
    Path open = chunk(repository + "/2026_11_30_19_11_11.jfr", 2);
    try (RandomAccessFile header = new RandomAccessFile(open.toFile(), "rw")) {
      header.seek(STATE);
      header.write(1);
      header.seek(header.length());
      header.write(new byte[100]); // behind the last flush
    }
    Files.write(directory.resolve(repository + "/2026_11_30_19_11_12.jfr"), new byte[68]);
    List<Found> found = recordings().found();
    assertEquals(1, found.size());
    assertEquals(ENDED, found.get(0).pid());
    assertTrue(found.get(0).wasKilled());
    assertEquals(List.of(1, 2), marks(found.get(0).file()));
  }

  /** JFR ends a JVM that can't write; what others have left is taken by then. */
  @Test
  void oneThatRunsKeepsWhatItNeedsAlone() throws Exception {
    long own = ProcessHandle.current().pid();
    Path chunk = chunk("2026_11_30_19_11_10_" + own + "/2026_11_30_19_11_10.jfr", 1);
    Path begun = Files.createFile(directory.resolve("2026_11_30_19_11_10_" + own + ".jfr"));
    Path other = chunk("hotspot-pid-" + ENDED + "-id-1-2026_11_30_19_10_58.jfr", 2);
    JvmRecordings recordings = recordings();
    assertEquals(List.of((long) ENDED), pids(recordings.found()));
    assertEquals(Set.of(own), recordings.running());
    recordings.remove();
    assertTrue(Files.exists(chunk));
    assertTrue(Files.exists(begun));
    assertFalse(Files.exists(other));
  }

  /** Of one that runs a recording is whole when JFR has removed the chunks that it was made of. */
  @Test
  void oneThatRunsLongerThanItsRecordingKeepsItsRepository() throws Exception {
    long own = ProcessHandle.current().pid();
    Path file = chunk("2026_11_30_19_11_10_" + own + ".jfr", 1);
    Path chunk = chunk("2026_11_30_19_11_10_" + own + "/2026_11_30_19_11_10.jfr", 1);
    assertEquals(List.of(), recordings().found());
    Files.delete(chunk);
    JvmRecordings recordings = recordings();
    assertEquals(List.of(own), pids(recordings.found()));
    recordings.remove();
    assertFalse(Files.exists(file));
    assertTrue(Files.isDirectory(chunk.getParent()));
  }

  private static List<Long> pids(List<Found> found) {
    return found.stream().map(Found::pid).toList();
  }

  @Test
  void nothingStays() throws Exception {
    chunk("hotspot-pid-" + ENDED + "-id-1-2026_11_30_19_10_58.jfr", 1);
    chunk("2026_11_30_19_11_10_" + (ENDED + 1) + "/2026_11_30_19_11_10.jfr", 1);
    recordings().remove();
    assertFalse(Files.exists(directory));
    Files.createDirectory(directory); // the test's own
  }
}
