package stackweave.jfr.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.Programs;
import stackweave.jfr.event.InlineText;
import stackweave.jfr.store.SampleWriter;
import stackweave.testing.Jdk;

/** Every event of ours with every field is what the JDK's own reader has of it, of every JDK. */
class JdkReaderIT {
  private static final String PREFIX = "stackweave.";

  @TempDir private Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void bothReadTheSame(Jdk jdk) throws Exception {
    Map<String, Integer> counts = written(jdk);
    assertEquals(2_000, counts.get("stackweave.StackSample"));
    assertTrue(counts.get("stackweave.Definitions") > 0, counts.toString());
  }

  private Map<String, Integer> written(Jdk jdk) throws Exception {
    Path file = directory.resolve("written.jfr");
    Programs.Outcome outcome =
        Programs.java(jdk, List.of(), Writer.class, List.of(file.toString()));
    assertEquals(0, outcome.exit(), outcome.output());
    Map<String, Integer> counts = compare(file);
    assertEquals(600, counts.get("stackweave.Fields"));
    assertTrue(headers(file).size() >= 3);
    return counts;
  }

  /** A field of each type, with strings of each encoding. */
  @Name("stackweave.Fields")
  static final class Fields extends Event {
    boolean truth;
    byte small;
    short middle;
    char letter;
    int number;
    long large;
    float ratio;
    double fine;
    String text;
    Thread thread;
    Class<?> type;
    long last;
  }

  /** Leaves a recording of several chunks. */
  public static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) throws Exception {
      String[] texts = {
        null,
        "",
        "short",
        "a text that is long enough for the pool of strings",
        "ü".repeat(30),
        "€ and 𝄞",
        "x".repeat(300_000),
        "€".repeat(70_000),
        "\0\uD800 half",
      };
      try (Recording recording = new Recording();
          SampleWriter writer = new SampleWriter()) {
        recording.enable("jdk.ExecutionSample");
        recording.start();
        for (int chunk = 0; chunk < 2; chunk++) {
          writer.write(chunk * 1_000L, 1_000);
          for (int i = 0; i < 300; i++) {
            Fields event = new Fields();
            event.truth = i % 2 == 0;
            event.small = (byte) (i - 150);
            event.middle = (short) (i * 331);
            event.letter = (char) (i * 219);
            event.number = (i - 150) << i % 32;
            event.large = (i - 150L) << i % 64;
            event.ratio = i / 3f;
            event.fine = i / 7.0;
            // Twice, for only then are strings pooled.
            event.text = i % 60 == 50 ? texts[6 + i % 2] : texts[i / 2 % 6];
            event.text = i == 7 ? texts[8] : event.text;
            event.thread = Thread.currentThread();
            event.type = String.class;
            event.last = i;
            event.commit();
          }
          try (Recording other = new Recording()) {
            other.setToDisk(true);
            other.start();
          }
        }
        recording.dump(Path.of(arguments[0]));
      }
    }
  }

  /** Compares a recording of whatever origin; returns the numbers of events by type. */
  static Map<String, Integer> compare(Path file) throws Exception {
    Map<String, Integer> counts = new TreeMap<>();
    List<ChunkHeader> headers = headers(file);
    try (ChunkSource source = new ChunkSource(file)) {
      for (ChunkHeader header : headers) {
        // The JDK's reader takes over what an earlier chunk said: a file for each.
        byte[] bytes = new byte[(int) header.size()];
        try (FileChannel channel = FileChannel.open(file)) {
          channel.read(ByteBuffer.wrap(bytes), header.position());
        }
        bytes[64] = 0; // the JDK's reader waits for the end of what a crash left open
        Path alone = Files.write(Files.createTempFile("chunk", ".jfr"), bytes);
        try {
          compareChunk(source, header, alone, counts);
        } finally {
          Files.delete(alone);
        }
      }
    }
    return counts;
  }

  private static void compareChunk(
      ChunkSource source, ChunkHeader header, Path alone, Map<String, Integer> counts)
      throws Exception {
    Map<String, EventShape> shapes = new TreeMap<>();
    try (RecordingFile expected = new RecordingFile(alone)) {
      for (var type : expected.readEventTypes()) {
        if (type.getName().startsWith(PREFIX)) {
          List<String> fields = type.getFields().stream().map(ValueDescriptor::getName).toList();
          shapes.put(type.getName(), new EventShape(type.getName(), fields));
        }
      }
    }
    List<EventShape> list = new ArrayList<>(shapes.values());
    ChunkReader reader = new ChunkReader(source, header, list);
    try (RecordingFile expected = new RecordingFile(alone)) {
      while (expected.hasMoreEvents()) {
        RecordedEvent event = expected.readEvent();
        if (event.getEventType().getName().startsWith(PREFIX)) {
          EventShape shape = list.get(reader.next());
          assertEquals(event.getEventType().getName(), shape.name());
          for (int i = 0; i < shape.fields().size(); i++) {
            compareField(event, shape.fields().get(i), reader, i);
          }
          counts.merge(shape.name(), 1, Integer::sum);
        }
      }
    }
    assertEquals(-1, reader.next());
  }

  private static void compareField(RecordedEvent event, String name, ChunkReader reader, int i)
      throws Exception {
    ValueDescriptor field =
        event.getFields().stream().filter(f -> f.getName().equals(name)).findFirst().orElseThrow();
    String what = event.getEventType().getName() + "." + name;
    if (name.equals("startTime")) {
      assertEquals(
          event.getStartTime(), Instant.ofEpochSecond(0, reader.nanosAt(reader.number(i))), what);
    } else if (!name.equals("duration")) { // in ticks, which the JDK's reader does not give
      switch (field.getTypeName()) {
        case "boolean" -> assertEquals(event.getBoolean(name), reader.number(i) != 0, what);
        case "char" -> assertEquals(event.getChar(name), (char) reader.number(i), what);
        case "byte", "short", "int", "long" ->
            assertEquals(event.getLong(name), reader.number(i), what);
        case "java.lang.String" -> {
          String text = event.getString(name);
          assertEquals(text == null ? "" : InlineText.read(text), reader.text(i), what);
        }
        case "float", "double" -> assertEquals(0, reader.number(i), what); // is passed over
        default -> assertEquals(event.getValue(name) == null, reader.number(i) == 0, what); // a key
      }
    }
  }

  private static List<ChunkHeader> headers(Path file) throws Exception {
    List<ChunkHeader> headers = new ArrayList<>();
    try (FileChannel channel = FileChannel.open(file)) {
      long position = 0;
      while (position < channel.size()) {
        ByteBuffer bytes = ByteBuffer.allocate(ChunkHeader.BYTES);
        channel.read(bytes, position);
        if (!ChunkHeader.hasMagic(bytes)) {
          return headers; // what a crash left behind the last flush
        }
        headers.add(ChunkHeader.of(bytes, position));
        position += headers.get(headers.size() - 1).size();
      }
    }
    return headers;
  }

  /** Compares recordings that are there: the files of the command line. */
  public static void main(String[] files) throws Exception {
    for (String file : files) {
      System.out.println(file + " " + compare(Path.of(file)));
    }
  }
}
