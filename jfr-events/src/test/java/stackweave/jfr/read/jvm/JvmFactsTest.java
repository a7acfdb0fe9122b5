package stackweave.jfr.read.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.chunk.ChunkBytes;
import stackweave.jfr.event.Session;
import stackweave.jfr.read.FirstSchemaRecording;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.store.SampleWriter;

/** Facts are those that this JVM has of itself, and those of the JDK's own reader. */
class JvmFactsTest {
  private static final String PROPERTY = "jdk.InitialSystemProperty";
  private static final String VARIABLE = "jdk.InitialEnvironmentVariable";
  private static final String COMMAND = "jdk.JVMInformation";
  private static final JvmFacts NONE = new JvmFacts(Map.of(), Map.of(), "");

  @TempDir private Path directory;

  /**
   * @param ofJvm whether the JVM says how it was started
   * @param samples number of samples of a session
   */
  private Path record(String name, boolean ofJvm, int samples) throws Exception {
    Path file = directory.resolve(name);
    try (Recording recording = new Recording()) {
      for (String event : ofJvm ? List.of(PROPERTY, VARIABLE, COMMAND) : List.<String>of()) {
        recording.enable(event);
      }
      recording.start();
      if (samples > 0) {
        try (SampleWriter writer = new SampleWriter()) {
          writer.write(0, samples);
        }
      }
      recording.dump(file);
    }
    return file;
  }

  private Path joined(Path... files) throws IOException {
    Path all = directory.resolve("joined.jfr");
    Files.deleteIfExists(all);
    for (Path file : files) {
      Files.write(
          all, Files.readAllBytes(file), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    return all;
  }

  private static String session(Path file) throws RecordingException {
    List<SessionFacts> sessions = SampledRecording.open(file).sessions();
    assertEquals(1, sessions.size());
    return sessions.get(0).uuid();
  }

  private static void assertAreOfThisJvm(JvmFacts facts) {
    assertEquals(System.getenv(), facts.environment());
    assertEquals(System.getProperty("sun.java.command"), facts.command());
    assertEquals(System.getProperty("java.vm.name"), facts.properties().get("java.vm.name"));
  }

  @Test
  void factsAreThoseOfTheJdksReader() throws Exception {
    Path file = record("own.jfr", true, 10);
    Map<String, String> properties = new HashMap<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      if (event.getEventType().getName().equals(PROPERTY)) {
        properties.put(event.getString("key"), event.getString("value"));
      }
    }
    Map<String, JvmFacts> facts = JvmFacts.read(file);
    assertEquals(List.of(session(file)), List.copyOf(facts.keySet()));
    assertAreOfThisJvm(facts.get(session(file)));
    assertFalse(properties.isEmpty());
    assertEquals(properties, facts.get(session(file)).properties());
  }

  @Test
  void chunksWithoutSessionBelongToTheOnlyOne() throws Exception {
    Path jvm = record("jvm.jfr", true, 0);
    Path samples = record("samples.jfr", false, 10);
    assertEquals(Map.of(), JvmFacts.read(jvm));
    assertEquals(Map.of(session(samples), NONE), JvmFacts.read(samples));
    for (Path both : List.of(joined(jvm, samples), joined(samples, jvm))) {
      Map<String, JvmFacts> facts = JvmFacts.read(both);
      assertEquals(List.of(session(samples)), List.copyOf(facts.keySet()));
      assertAreOfThisJvm(facts.get(session(samples)));
    }
    Path other = record("other.jfr", false, 10);
    assertEquals(
        Map.of(session(samples), NONE, session(other), NONE),
        JvmFacts.read(joined(samples, jvm, other)));
  }

  @Test
  void aRecordingWithoutThem() throws Exception {
    Path file = FirstSchemaRecording.in(directory);
    assertEquals(Map.of(session(file), NONE), JvmFacts.read(file));
    Path text = Files.writeString(directory.resolve("text.jfr"), "not a recording at all");
    assertThrows(RecordingException.class, () -> JvmFacts.read(text));
  }

  /** What is said first holds; of texts of 24 million characters not all are kept. */
  @Test
  void muchIsLeftOut() throws Exception {
    ChunkBytes chunk =
        new ChunkBytes()
            .type(100, Session.NAME, "uuid", ChunkBytes.STRING, "")
            .type(101, PROPERTY, "key", ChunkBytes.STRING, "", "value", ChunkBytes.STRING, "");
    for (int i = 0; i < 24; i++) {
      chunk.event(101, ChunkBytes.bytes().text("key " + i).text("x".repeat(1_000_000)));
      chunk.event(101, ChunkBytes.bytes().text("key " + i).text("another"));
    }
    byte[] bytes = chunk.event(100, ChunkBytes.bytes().text("one")).build();
    Map<String, JvmFacts> facts = JvmFacts.read(Files.write(directory.resolve("big.jfr"), bytes));
    Map<String, String> kept = facts.get("one").properties();
    assertEquals(1_000_000, kept.get("key 0").length());
    assertTrue(
        kept.values().stream().mapToInt(String::length).sum() <= 8 << 20, kept.keySet().toString());
    assertTrue(kept.size() >= 8, kept.keySet().toString());
  }
}
