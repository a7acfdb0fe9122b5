package stackweave.jfr.read;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.jfr.event.LibraryName;

/**
 * The definitions of one session, gathered from all chunks in any order, and the stacks made of
 * them. Ids are never reused in a session, so what several chunks define is the same.
 */
final class SessionData {
  private static final String KERNEL = "kernel";

  /** Several libraries have the name. */
  private static final String SEVERAL = "";

  /** In the text of a frame whose function has no name; enough of a build id to tell two apart. */
  private static final int BUILD_ID_DIGITS = 8;

  private static final String OFFSET = "+0x";
  private static final String UNKNOWN_CODE = "[unknown code]";
  private static final SampledFrame LOST_METHOD =
      new SampledFrame("[method not in recording]", SampledFrame.MARKER, -1);
  private static final StackEnd LOST_STACK = new StackEnd("stack not in recording", false);

  /** A stack is never this deep: a chain that is has a circle, from a damaged recording. */
  private static final int MOST_FRAMES = 100_000;

  private record MethodEntry(long moduleId, String className, String name) {}

  /**
   * @param file the file's name as mapped
   * @param name the same without what its loader made up
   */
  private record ModuleEntry(String file, String name, String buildId) {}

  private final LongIndex nodes = new LongIndex();
  private long[] parents = new long[1_024];
  private long[] methodIds = new long[1_024];
  private int[] lines = new int[1_024];
  private byte[] kinds = new byte[1_024];

  private final Map<Long, MethodEntry> methods = new HashMap<>();
  private final Map<Long, ModuleEntry> modules = new HashMap<>();

  /** Names of libraries to their build id; to {@link #SEVERAL} where it is not one. */
  private final Map<String, String> builds = new HashMap<>();

  private final Map<Long, StackThread> threads = new HashMap<>();
  private final Map<Integer, StackEnd> ends = new HashMap<>();
  private final Map<Long, SampledFrame[]> frames = new HashMap<>();
  private final Map<Long, String> texts = new HashMap<>();

  private SessionFacts facts = new SessionFacts("", 0, Instant.EPOCH, 0, "", "", "");
  private Legend kindLegend = new Legend("kind", "");
  private Legend endLegend = new Legend("end", "");
  private Legend stateLegend = new Legend("state", "");
  private List<String> completeEnds = List.of();

  SessionFacts facts() {
    return facts;
  }

  // ---- definitions

  void session(RecordedEvent event) {
    facts =
        new SessionFacts(
            Fields.text(event, "uuid"),
            Fields.number(event, "pid"),
            event.hasField("jvmStart") ? event.getInstant("jvmStart") : Instant.EPOCH,
            Fields.integer(event, "schemaVersion"),
            Fields.text(event, "jdk"),
            Fields.text(event, "abi"),
            Fields.text(event, "agentVersion"));
    kindLegend = new Legend("kind", Fields.text(event, "kindLegend"));
    endLegend = new Legend("end", Fields.text(event, "endLegend"));
    stateLegend = new Legend("state", Fields.text(event, "stateLegend"));
    completeEnds = List.of(Fields.text(event, "completeEnds").split(",", -1));
  }

  void frame(RecordedEvent event) {
    int index = nodes.add(Fields.number(event, "id"));
    if (index == parents.length) {
      parents = Arrays.copyOf(parents, 2 * index);
      methodIds = Arrays.copyOf(methodIds, 2 * index);
      lines = Arrays.copyOf(lines, 2 * index);
      kinds = Arrays.copyOf(kinds, 2 * index);
    }
    parents[index] = Fields.number(event, "parentId");
    methodIds[index] = Fields.number(event, "methodId");
    int line = Fields.integer(event, "line");
    lines[index] = line > 0 ? line : -1;
    kinds[index] = (byte) Fields.integer(event, "kind");
  }

  void method(RecordedEvent event) {
    methods.putIfAbsent(
        Fields.number(event, "id"),
        new MethodEntry(
            Fields.number(event, "moduleId"),
            Fields.text(event, "className"),
            Fields.text(event, "name")));
  }

  void module(RecordedEvent event) {
    String path = Fields.text(event, "path");
    String buildId = Fields.text(event, "buildId");
    ModuleEntry module = new ModuleEntry(fileName(path), LibraryName.of(path), buildId);
    if (modules.putIfAbsent(Fields.number(event, "moduleId"), module) == null) {
      String build = buildId.isEmpty() ? module.file() : buildId;
      builds.merge(module.name(), build, (one, other) -> one.equals(other) ? one : SEVERAL);
    }
  }

  void thread(RecordedEvent event) {
    long tid = Fields.number(event, "osThreadId");
    String name = Fields.text(event, "name");
    if (name.isEmpty()) {
      name = Fields.flag(event, "virtual") ? namelessVirtual(event) : "tid " + tid;
    }
    threads.putIfAbsent(Fields.number(event, "threadId"), new StackThread(name, tid));
  }

  /** One name for all of them: they are used by the thousand, once each. */
  private static String namelessVirtual(RecordedEvent event) {
    return Fields.number(event, "javaId") == 0
        ? StackThread.UNIDENTIFIED_VIRTUAL
        : StackThread.NAMELESS_VIRTUAL;
  }

  private static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  // ---- stacks

  /** The thread of a key, under a made-up name if the recording does not say. */
  StackThread thread(long key) {
    StackThread thread = threads.get(key);
    return thread != null ? thread : new StackThread("thread not in recording", 0);
  }

  boolean hasThread(long key) {
    return threads.containsKey(key);
  }

  String state(int code) {
    return stateLegend.label(code);
  }

  StackEnd end(int code) {
    StackEnd end = ends.get(code);
    if (end == null) {
      end = new StackEnd(endLegend.label(code), completeEnds.contains(Integer.toString(code)));
      ends.put(code, end);
    }
    return end;
  }

  /** The end of a stack part of which is missing in the recording. */
  static StackEnd lostEnd() {
    return LOST_STACK;
  }

  /**
   * Puts the frames of a stack into {@code stack}, the thread's first frame first.
   *
   * @return false if definitions are missing: the frames are then those from the first known on
   */
  boolean resolve(long stackId, List<SampledFrame> stack) {
    stack.clear();
    boolean complete = true;
    long id = stackId;
    while (id != 0) {
      int index = nodes.find(id);
      if (index < 0 || stack.size() == MOST_FRAMES) {
        complete = false;
        break;
      }
      SampledFrame frame = frameAt(index);
      complete &= frame != LOST_METHOD;
      stack.add(frame);
      id = parents[index];
    }
    Collections.reverse(stack);
    return complete;
  }

  /** Frames are shared between the nodes of a method: few lines and kinds belong to each. */
  private SampledFrame frameAt(int index) {
    long methodId = methodIds[index];
    MethodEntry method = methods.get(methodId);
    if (method == null) {
      return LOST_METHOD;
    }
    String kind = kindLegend.label(kinds[index]);
    int line = lines[index];
    SampledFrame[] known = frames.get(methodId);
    if (known != null) {
      for (SampledFrame frame : known) {
        if (frame.line() == line && frame.kind().equals(kind)) {
          return frame;
        }
      }
    }
    String text = known != null && known[0].kind().equals(kind) ? known[0].text() : null;
    SampledFrame frame = new SampledFrame(text != null ? text : text(method, kind), kind, line);
    SampledFrame[] more =
        known == null ? new SampledFrame[1] : Arrays.copyOf(known, known.length + 1);
    more[more.length - 1] = frame;
    frames.put(methodId, more);
    return frame;
  }

  private String text(MethodEntry method, String kind) {
    if (!method.className().isEmpty()) {
      return method.className() + "." + method.name();
    }
    if (saysItsPlace(method.name())) {
      return method.name();
    }
    ModuleEntry module = modules.get(method.moduleId());
    if (module == null) {
      return textWithoutModule(method.name(), kind);
    }
    String function = withoutName(method.name(), module);
    if (function != null) {
      // Two builds of a library have nothing in common at an offset.
      boolean several = builds.get(module.name()).equals(SEVERAL);
      if (several && module.buildId().isEmpty()) {
        return module.file() + function;
      }
      int digits = Math.min(BUILD_ID_DIGITS, module.buildId().length());
      String build = several ? "@" + module.buildId().substring(0, digits) : "";
      return module.name() + build + function;
    }
    return textInPlace(method.name(), module.name());
  }

  /** {@code thread_start [libc.so.6+0x…]}, {@code [unknown code]}; not {@code to_string[abi]}. */
  private static boolean saysItsPlace(String method) {
    return method.endsWith("]") && (method.startsWith("[") || method.contains(" ["));
  }

  /**
   * The offset with its plus sign of a function that is called by its place in its library; null of
   * others.
   */
  private static String withoutName(String method, ModuleEntry module) {
    for (String name : List.of(module.name(), module.file())) {
      if (method.startsWith(OFFSET, name.length()) && method.startsWith(name)) {
        return method.substring(name.length());
      }
    }
    return null;
  }

  private static String textWithoutModule(String method, String kind) {
    if (kind.equals(KERNEL)) {
      return textInPlace(method, KERNEL);
    }
    if (method.startsWith("0x")) {
      return UNKNOWN_CODE; // Recordings had the pc here, before that name.
    }
    return method.isEmpty() ? "[unknown]" : method;
  }

  private static String textInPlace(String method, String place) {
    String inBrackets = place.startsWith("[") ? place : "[" + place + "]";
    return method.isEmpty() ? inBrackets : method + " " + inBrackets;
  }
}
