package stackweave.jfr.read;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.jfr.event.LibraryName;
import stackweave.jfr.table.LongIndex;

/**
 * The definitions of one session, gathered from all chunks in any order, and the stacks made of
 * them. Ids are never reused in a session, so what several chunks define is the same.
 */
final class SessionData {
  /** Several builds of a library have the name. */
  private static final String SEVERAL = "";

  private static final SampledFrame LOST_METHOD =
      new SampledFrame(
          new SampledMethod(null, "", "[method not in recording]", "", 0, "", 0),
          SampledFrame.MARKER,
          0,
          0);
  private static final StackEnd LOST_STACK = new StackEnd("stack not in recording", false);

  /** Index of a node's parent: it has none, or it is missing. */
  private static final int ROOT = -1;

  private static final int LOST = -2;

  /** A stack is never this deep: a chain that is has a circle, from a damaged recording. */
  private static final int MAX_FRAMES = 100_000;

  /**
   * A method before its module is known.
   *
   * @param method all but the module
   */
  private record MethodEntry(long moduleId, SampledMethod method) {}

  private final LongIndex nodes = new LongIndex();
  private long[] parentIds = new long[1_024];
  private long[] methodIds = new long[1_024];
  private long[] offsets = new long[1_024];
  private int[] lines = new int[1_024];
  private byte[] kinds = new byte[1_024];

  /** By node, once all is gathered; they take the places of the ids. */
  private int[] parents = {};

  private SampledMethod[] methods = {};

  private Map<Long, MethodEntry> methodEntries = new HashMap<>();
  private final Map<Long, SampledModule> modules = new HashMap<>();

  /** Names of libraries to their build id; to {@link #SEVERAL} where it is not one. */
  private final Map<String, String> builds = new HashMap<>();

  private final Map<Long, StackThread> threads = new HashMap<>();
  private final Map<Integer, StackEnd> ends = new HashMap<>();

  /** Texts that many methods have in common, each once. */
  private Map<String, String> texts = new HashMap<>();

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
    if (index == parentIds.length) {
      parentIds = Arrays.copyOf(parentIds, 2 * index);
      methodIds = Arrays.copyOf(methodIds, 2 * index);
      offsets = Arrays.copyOf(offsets, 2 * index);
      lines = Arrays.copyOf(lines, 2 * index);
      kinds = Arrays.copyOf(kinds, 2 * index);
    }
    parentIds[index] = Fields.number(event, "parentId");
    methodIds[index] = Fields.number(event, "methodId");
    offsets[index] = Fields.number(event, "offset");
    lines[index] = Math.max(0, Fields.integer(event, "line"));
    kinds[index] = (byte) Fields.integer(event, "kind");
  }

  void method(RecordedEvent event) {
    long id = Fields.number(event, "id");
    if (methodEntries.containsKey(id)) {
      return; // every chunk defines it anew
    }
    SampledMethod method =
        new SampledMethod(
            null,
            shared(Fields.text(event, "className")),
            shared(Fields.text(event, "name")),
            shared(Fields.text(event, "descriptor")),
            Fields.integer(event, "modifiers"),
            shared(Fields.text(event, "sourceFile")),
            Fields.number(event, "start"));
    methodEntries.put(id, new MethodEntry(Fields.number(event, "moduleId"), method));
  }

  private String shared(String text) {
    String known = texts.putIfAbsent(text, text);
    return known != null ? known : text;
  }

  void module(RecordedEvent event) {
    String path = Fields.text(event, "path");
    SampledModule module =
        new SampledModule(
            path,
            LibraryName.of(path),
            Fields.text(event, "buildId"),
            Fields.number(event, "start"),
            Fields.number(event, "end"),
            Fields.text(event, "unwindSource"),
            Fields.text(event, "unwindReason"),
            Fields.number(event, "functions"),
            Fields.text(event, "symbolsFrom"),
            false);
    if (modules.putIfAbsent(Fields.number(event, "moduleId"), module) == null) {
      String build = module.buildId().isEmpty() ? module.file() : module.buildId();
      builds.merge(module.name(), build, (one, other) -> one.equals(other) ? one : SEVERAL);
    }
  }

  void thread(RecordedEvent event) {
    threads.putIfAbsent(
        Fields.number(event, "threadId"),
        new StackThread(
            Fields.text(event, "name"),
            Fields.number(event, "osThreadId"),
            Fields.number(event, "javaId"),
            Fields.flag(event, "virtual"),
            Fields.number(event, "carrierId")));
  }

  /** All definitions are there: joins them. */
  void finish() {
    modules.replaceAll((id, module) -> finished(module));
    Map<Long, SampledMethod> byId = new HashMap<>();
    methodEntries.forEach((id, entry) -> byId.put(id, finished(entry)));
    int count = nodes.count();
    parents = new int[count];
    methods = new SampledMethod[count];
    for (int i = 0; i < count; i++) {
      int parent = nodes.find(parentIds[i]);
      parents[i] = parentIds[i] == 0 ? ROOT : parent < 0 ? LOST : parent;
      methods[i] = byId.get(methodIds[i]);
    }
    parentIds = new long[0];
    methodIds = parentIds;
    methodEntries = Map.of();
    texts = Map.of();
  }

  private SampledModule finished(SampledModule module) {
    return builds.get(module.name()).equals(SEVERAL)
        ? new SampledModule(
            module.path(),
            module.name(),
            module.buildId(),
            module.start(),
            module.end(),
            module.unwindSource(),
            module.unwindReason(),
            module.functions(),
            module.symbolsFrom(),
            true)
        : module;
  }

  private SampledMethod finished(MethodEntry entry) {
    SampledMethod method = entry.method();
    SampledModule module = modules.get(entry.moduleId());
    return module == null
        ? method
        : new SampledMethod(
            module,
            method.className(),
            method.name(),
            method.descriptor(),
            method.modifiers(),
            method.sourceFile(),
            method.start());
  }

  // ---- stacks

  /** The thread of a key; one that stands for it if the recording does not say. */
  StackThread thread(long key) {
    return threads.getOrDefault(key, StackThread.LOST);
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
    int index = stackId == 0 ? ROOT : nodes.find(stackId);
    boolean complete = stackId == 0 || index >= 0;
    while (index >= 0) {
      if (stack.size() == MAX_FRAMES) {
        complete = false;
        break;
      }
      complete &= methods[index] != null && parents[index] != LOST;
      stack.add(frameAt(index));
      index = parents[index];
    }
    Collections.reverse(stack);
    return complete;
  }

  /** Whether all definitions of a stack are there. */
  boolean isResolved(long stackId) {
    int index = stackId == 0 ? ROOT : nodes.find(stackId);
    boolean complete = stackId == 0 || index >= 0;
    for (int frames = 0; index >= 0; frames++) {
      complete &= methods[index] != null && parents[index] != LOST && frames < MAX_FRAMES;
      if (!complete) {
        return false;
      }
      index = parents[index];
    }
    return complete;
  }

  private SampledFrame frameAt(int index) {
    SampledMethod method = methods[index];
    return method == null
        ? LOST_METHOD
        : new SampledFrame(method, kindLegend.label(kinds[index]), lines[index], offsets[index]);
  }
}
