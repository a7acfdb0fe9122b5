package stackweave.jfr.read.jvm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.EventConstants;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.event.Session;
import stackweave.jfr.process.StartFacts;
import stackweave.jfr.read.ChunkEvents;
import stackweave.jfr.read.RecordingException;

/**
 * Reads {@link JvmFacts}: JFR writes them into each chunk anew, and the session has those that name
 * the service. Not thread-safe.
 */
final class JvmEvents implements ChunkEvents.Taker {
  /** Characters that are kept, twice while a chunk is read. */
  private static final int MAX_CHARACTERS = 8 << 20;

  /** What a text takes beside its characters, as if it were characters. */
  private static final int EACH = 100;

  private static final int SESSION = 0;
  private static final int PROPERTY = 1;
  private static final int VARIABLE = 2;
  private static final int COMMAND = 3;

  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of(Session.NAME, "uuid startedWith"),
          EventShape.of("jdk.InitialSystemProperty", "key value"),
          EventShape.of("jdk.InitialEnvironmentVariable", "key value"),
          EventShape.of("jdk.JVMInformation", "javaArguments"));

  /** A text of a JVM: the shape of its event, and its key, which the command has none of. */
  private record Name(int shape, String key) {}

  /** The session of the chunk; empty if it names none. */
  private String session = "";

  private final Map<Name, String> ofChunk = new LinkedHashMap<>();
  private int charactersOfChunk;

  private final Map<String, Map<Name, String>> bySession = new LinkedHashMap<>();
  private int characters;

  private JvmEvents() {}

  static Map<String, JvmFacts> read(Path file) throws IOException, RecordingException {
    JvmEvents events = new JvmEvents();
    ChunkEvents.read(file, SHAPES, events);
    Map<Name, String> ofNone = events.bySession.remove("");
    if (ofNone != null && events.bySession.size() == 1) {
      ofNone.forEach(events.bySession.values().iterator().next()::putIfAbsent);
    }
    Map<String, JvmFacts> facts = new LinkedHashMap<>();
    events.bySession.forEach((uuid, texts) -> facts.put(uuid, facts(texts)));
    return facts;
  }

  private static JvmFacts facts(Map<Name, String> texts) {
    return new JvmFacts(
        of(PROPERTY, texts), of(VARIABLE, texts), of(COMMAND, texts).getOrDefault("", ""));
  }

  private static Map<String, String> of(int shape, Map<Name, String> texts) {
    Map<String, String> chosen = new LinkedHashMap<>();
    texts.forEach(
        (name, text) -> {
          if (name.shape == shape) {
            chosen.put(name.key, text);
          }
        });
    return chosen;
  }

  @Override
  public void take(int shape, ChunkReader event) throws IOException {
    switch (shape) {
      case SESSION -> {
        session = session.isEmpty() ? event.text(0) : session;
        StartFacts.read(
            event.text(1),
            (name, value) -> add(new Name(PROPERTY, name), value),
            (name, value) -> add(new Name(VARIABLE, name), value));
      }
      case COMMAND -> add(new Name(shape, ""), event.text(0));
      default -> add(new Name(shape, event.text(0)), event.text(1));
    }
  }

  private void add(Name name, String text) {
    charactersOfChunk += put(ofChunk, name, text, MAX_CHARACTERS - charactersOfChunk);
  }

  /** Returns the characters of a text that is new and has room; else 0. */
  private static int put(Map<Name, String> texts, Name name, String text, int room) {
    int size = EACH + name.key.length() + text.length();
    return size <= room && texts.putIfAbsent(name, text) == null ? size : 0;
  }

  @Override
  public void end(ChunkHeader chunk, EventConstants constants) {
    Map<Name, String> all = bySession.computeIfAbsent(session, any -> new LinkedHashMap<>());
    ofChunk.forEach(
        (name, text) -> characters += put(all, name, text, MAX_CHARACTERS - characters));
    session = "";
    ofChunk.clear();
    charactersOfChunk = 0;
  }
}
