import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

public class ReadStacks {
  record Frame(long parent, long method, int kind, int line, long offset, int found) {}
  record Method(long library, long start, String className, String name, String descriptor,
      int modifiers, String sourceFile) {}
  record Library(String path, String buildId, long start, long end, String unwindSource,
      String unwindReason, long functions, String symbolsFrom) {}
  record SampledThread(long osId, String name, long javaId, boolean virtual, long carrierId) {}
  record Attributes(int state, int end, long context, long age) {}

  static final Map<Long, RecordedEvent[]> blocks = new HashMap<>();
  static final Map<Long, Frame> frames = new HashMap<>();
  static final Map<Long, Method> methods = new HashMap<>();
  static final Map<Long, Library> libraries = new HashMap<>();
  static final Map<Long, SampledThread> threads = new HashMap<>();
  static final Map<Long, Attributes> attributes = new HashMap<>();

  final byte[] block;
  final List<String> classes = new ArrayList<>();
  final List<String> texts = new ArrayList<>();
  int position = 1;
  long nextFrame;
  long nextMethod;

  ReadStacks(byte[] deflated, int size) throws DataFormatException {
    block = new byte[size];
    Inflater inflater = new Inflater(true);
    inflater.setInput(deflated);
    int inflated = inflater.inflate(block);
    inflater.end();
    if (inflated != size || block[0] != 1) {
      throw new DataFormatException("a block of another format");
    }
  }

  static void take(RecordedEvent event) throws DataFormatException {
    RecordedEvent[] pieces =
        blocks.computeIfAbsent(
            event.getLong("block"), block -> new RecordedEvent[event.getInt("pieces")]);
    pieces[event.getInt("piece")] = event;
    ByteBuffer deflated =
        ByteBuffer.allocate(pieces.length * 512).order(ByteOrder.LITTLE_ENDIAN);
    for (RecordedEvent piece : pieces) {
      if (piece == null) {
        return; // there is more to come
      }
      for (int i = 0; i < 64; i++) {
        deflated.putLong(piece.getLong(i < 10 ? "w0" + i : "w" + i));
      }
    }
    blocks.remove(event.getLong("block"));
    new ReadStacks(deflated.array(), event.getInt("size")).read();
  }

  void read() throws DataFormatException {
    while (position < block.length) {
      switch ((int) number()) {
        case 1 -> {
          long id = nextFrame + signed();
          long distance = number();
          long parent = distance == 0 ? 0 : id - distance;
          for (long left = number(); left > 0; left--) {
            long method = number();
            int kind = (int) number();
            frames.put(id,
                new Frame(parent, method, kind & 255, (int) number(), number(), kind >> 8));
            parent = id++;
          }
          nextFrame = id;
        }
        case 2 -> {
          long id = nextMethod + signed();
          nextMethod = id + 1;
          int parts = (int) number();
          long library = (parts & 1) != 0 ? number() : 0;
          long start = (parts & 1) != 0 ? number() : 0;
          String className = (parts & 2) != 0 ? exchanged(text(classes)) : "";
          String name = text(texts);
          String descriptor = (parts & 4) != 0 ? text(texts) : "";
          int modifiers = (parts & 8) != 0 ? (int) number() : 0;
          String source = (parts & 16) != 0 ? text(texts) : "";
          if ((parts & 32) != 0) {
            String simple = className.substring(className.lastIndexOf('.') + 1);
            int nested = simple.indexOf('$', 1);
            source = (nested < 0 ? simple : simple.substring(0, nested)) + ".java";
          }
          methods.put(
              id, new Method(library, start, className, name, descriptor, modifiers, source));
        }
        case 3 -> libraries.put(number(), new Library(text(texts), text(texts), number(), number(),
            text(texts), text(texts), number(), text(texts)));
        case 4 -> threads.put(number(),
            new SampledThread(number(), text(texts), number(), number() != 0, number()));
        case 5 -> attributes.put(number(),
            new Attributes((int) number(), (int) number(), number(), signed()));
        default -> throw new DataFormatException("a record of a later schema");
      }
    }
  }

  long number() {
    long value = 0;
    int shift = 0;
    byte next;
    do {
      next = block[position++];
      value |= (next & 0x7FL) << shift;
      shift += 7;
    } while (next < 0);
    return value;
  }

  long signed() {
    long number = number();
    return number >>> 1 ^ -(number & 1);
  }

  String text(List<String> earlier) {
    long head = number();
    if ((head & 1) != 0) {
      return earlier.get((int) (head >>> 1));
    }
    StringBuilder text = new StringBuilder();
    for (long left = head >>> 1; left > 0; left--) {
      text.append((char) number());
    }
    earlier.add(text.toString());
    return text.toString();
  }

  static String exchanged(String text) {
    return text.replace('/', '\0').replace('.', '/').replace('\0', '.');
  }

  public static void main(String[] args) throws Exception {
    List<RecordedEvent> samples = new ArrayList<>();
    try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        switch (event.getEventType().getName()) {
          case "stackweave.Definitions" -> take(event);
          case "stackweave.StackSample" -> samples.add(event);
          default -> {}
        }
      }
    }
    Map<String, Long> stacks = new TreeMap<>();
    for (RecordedEvent sample : samples) {
      String stack = "";
      for (long id = sample.getLong("stackId"); id != 0; id = frames.get(id).parent()) {
        Method method = methods.get(frames.get(id).method());
        String name = method.className().isEmpty() ? "" : method.className() + ".";
        stack = ";" + name + method.name() + stack;
      }
      String thread = threads.get(sample.getLong("threadId")).name();
      stacks.merge(thread + stack, sample.getLong("weight"), Long::sum);
    }
    stacks.forEach((stack, nanos) -> System.out.println(stack + " " + nanos));
  }
}
