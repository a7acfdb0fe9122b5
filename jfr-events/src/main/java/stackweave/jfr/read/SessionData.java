package stackweave.jfr.read;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.event.LabelText;
import stackweave.jfr.event.LibraryName;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.block.BlockPieces;
import stackweave.jfr.read.block.DefinitionReceiver;
import stackweave.jfr.read.context.SampledContext;
import stackweave.unwind.hash.LongIndex;

/**
 * The definitions of one session, collected from all chunks in any order, and its stacks. Ids are
 * never reused in a session, so definitions of the same id in several chunks are equal. Used by
 * {@link SampledRecording}; not thread-safe.
 */
final class SessionData implements DefinitionReceiver {
  /** Instead of a build id, if libraries of several builds have the name. */
  private static final String SEVERAL = "";

  static final SampledFrame LOST_METHOD =
      new SampledFrame(
          new SampledMethod(null, "", "[method not in recording]", "", 0, "", 0),
          SampledFrame.MARKER,
          0,
          0);
  private static final StackEnd LOST_STACK = new StackEnd("stack not in recording", false);

  /** Index of a node's parent: it has none, or it is missing. */
  private static final int ROOT = -1;

  private static final int LOST = -2;

  /** A longer chain of frames has a cycle, from a damaged recording. */
  private static final int MAX_FRAMES = 100_000;

  /** What a sample says beside thread, stack and weight, in the codes of its session. */
  record Attributes(int stateCode, int endCode, long contextId, long ageNanos) {
    /** The attributes of a sample whose definition is missing. */
    static final Attributes LOST = new Attributes(-1, -1, 0, 0);

    /** Sets what a sample of schema 2 has only by the attributes' id. */
    void giveTo(SampleRecord sample) {
      sample.timeNanos -= ageNanos;
      sample.state = stateCode;
      sample.end = endCode;
      sample.contextId = contextId;
      sample.attributesId = EventDecoder.NO_ATTRIBUTES;
    }
  }

  /**
   * A method before its module is known.
   *
   * @param method all but the module
   */
  private record MethodEntry(long moduleId, SampledMethod method) {}

  /** A frame before its method and its caller are known. */
  private record Node(long parentId, long methodId, int kind, int line, long offset, int found) {}

  final BlockPieces blocks = new BlockPieces();

  private final SampledFrame.Change change;

  /** Results of the change, for frames that are callers and for the last frame of a stack. */
  private final Map<SampledFrame, List<SampledFrame>> changedCallers = new IdentityHashMap<>();

  private final Map<SampledFrame, List<SampledFrame>> changedLast = new IdentityHashMap<>();

  /** The numbers of frames by their ids. */
  private final LongIndex nodes = new LongIndex();

  /** By the number of a frame, as it is defined; empty after {@link #finish}. */
  private List<Node> definitions = new ArrayList<>();

  /** By the number of a frame, after {@link #finish}. */
  private SampledFrame[] frames = {};

  private int[] parents = {};

  private Map<Long, MethodEntry> methodEntries = new HashMap<>();
  private final Map<Long, SampledModule> modules = new HashMap<>();

  /** Build id by library name; {@link #SEVERAL} if there are several. */
  private final Map<String, String> builds = new HashMap<>();

  private final Map<Long, StackThread> threads = new HashMap<>();
  private final Map<Long, Attributes> attributes = new HashMap<>();
  private final Map<Long, SampledContext> contexts = new HashMap<>();

  /** Texts shared by many methods. */
  private Map<String, String> texts = new HashMap<>();

  private SessionFacts facts = new SessionFacts("", 0, Instant.EPOCH, 0, "", "", "");
  private SessionCodes codes = new SessionCodes("", "", "", "", "", "");

  /**
   * @param change what becomes of the frames of {@link #resolve}
   */
  SessionData(SampledFrame.Change change) {
    this.change = change;
  }

  SessionFacts facts() {
    return facts;
  }

  // ---- definitions

  void session(SessionFacts facts, SessionCodes codes) {
    this.facts = facts;
    this.codes = codes;
  }

  @Override
  public void frame(
      long id, long parentId, long methodId, int kind, int line, long offset, int found) {
    Node node = new Node(parentId, methodId, kind, Math.max(0, line), offset, found);
    int index = nodes.add(id);
    if (index == definitions.size()) {
      definitions.add(node);
    } else {
      definitions.set(index, node);
    }
  }

  boolean hasMethod(long id) {
    return methodEntries.containsKey(id);
  }

  @Override
  public void method(
      long id,
      long libraryId,
      String className,
      String name,
      String descriptor,
      int modifiers,
      String sourceFile,
      long start) {
    if (methodEntries.containsKey(id)) {
      return;
    }
    SampledMethod method =
        new SampledMethod(
            null,
            shared(className),
            shared(name),
            shared(descriptor),
            modifiers,
            shared(sourceFile),
            start);
    methodEntries.put(id, new MethodEntry(libraryId, method));
  }

  private String shared(String text) {
    String known = texts.putIfAbsent(text, text);
    return known != null ? known : text;
  }

  @Override
  public void library(
      long id,
      String path,
      String buildId,
      long start,
      long end,
      String unwindSource,
      String unwindReason,
      long functions,
      String symbolsFrom) {
    String name = LibraryName.of(path);
    SampledModule module =
        new SampledModule(
            path,
            name,
            buildId,
            start,
            end,
            unwindSource,
            unwindReason,
            functions,
            symbolsFrom,
            false);
    if (modules.putIfAbsent(id, module) == null) {
      String build = buildId.isEmpty() ? module.file() : buildId;
      String other = builds.putIfAbsent(name, build);
      if (other != null && !other.equals(build)) {
        builds.put(name, SEVERAL);
      }
    }
  }

  @Override
  public void thread(
      long key, long osThreadId, String name, long javaId, boolean virtual, long carrierId) {
    threads.putIfAbsent(key, new StackThread(name, osThreadId, javaId, virtual, carrierId));
  }

  @Override
  public void attributes(long id, int state, int end, long contextId, long ageNanos) {
    attributes.putIfAbsent(id, new Attributes(state, end, contextId, ageNanos));
  }

  void context(long id, String traceId, String spanId, String labels) {
    if (!contexts.containsKey(id)) {
      contexts.put(
          id,
          new SampledContext(
              id, traceId, spanId, Collections.unmodifiableSortedMap(LabelText.parse(labels))));
    }
  }

  boolean hasContexts() {
    return !contexts.isEmpty();
  }

  /** The context of an id; one without labels if its definition is not there. */
  SampledContext context(long id) {
    if (id == 0) {
      return SampledContext.NONE;
    }
    SampledContext known = contexts.get(id);
    return known != null ? known : new SampledContext(id, "", "", SampledContext.NONE.labels());
  }

  /** The attributes of an id; null if their definition is not there. */
  Attributes attributes(long id) {
    return attributes.get(id);
  }

  /** The attributes of an id; {@link Attributes#LOST} if their definition is not there. */
  Attributes attributesOrLost(long id) {
    return attributes.getOrDefault(id, Attributes.LOST);
  }

  /**
   * A thread may have been sampled before the agent knew which Java thread it was: that is one
   * thread, if its id in the OS was that of one Java thread only, and the kernel's name for it,
   * which is short, is made of one of that thread's names.
   */
  private void joinThreads() {
    Map<Long, List<StackThread>> known = new HashMap<>();
    for (StackThread thread : threads.values()) {
      if (!thread.isVirtual() && thread.javaId() != 0) {
        known.computeIfAbsent(thread.osThreadId(), id -> new ArrayList<>()).add(thread);
      }
    }
    threads.replaceAll((key, thread) -> joined(thread, known));
  }

  private static StackThread joined(StackThread thread, Map<Long, List<StackThread>> known) {
    List<StackThread> same = known.get(thread.osThreadId());
    if (same == null
        || thread.isVirtual()
        || thread.javaId() != 0
        || thread.name().isEmpty()
        || same.stream().mapToLong(StackThread::javaId).distinct().count() > 1) {
      return thread;
    }
    List<StackThread> made =
        same.stream().filter(java -> isMadeOf(java.name(), thread.name())).distinct().toList();
    if (made.isEmpty()) {
      return thread;
    }
    // With several names it is not known which the thread had then.
    String name = made.size() == 1 ? made.get(0).name() : thread.name();
    return new StackThread(name, thread.osThreadId(), made.get(0).javaId(), false, 0);
  }

  /**
   * Whether the kernel's short name was made from this one: its beginning, or since JDK 26
   * beginning and end with dots between.
   */
  private static boolean isMadeOf(String name, String ofKernel) {
    int dots = ofKernel.indexOf("..");
    return name.startsWith(ofKernel)
        || dots > 0
            && name.startsWith(ofKernel.substring(0, dots))
            && name.endsWith(ofKernel.substring(dots + 2));
  }

  /** Joins the definitions; call it when all have been read. */
  void finish() {
    joinThreads();
    for (Map.Entry<Long, SampledModule> module : modules.entrySet()) {
      module.setValue(finished(module.getValue()));
    }
    Map<Long, SampledMethod> byId = new HashMap<>();
    for (Map.Entry<Long, MethodEntry> entry : methodEntries.entrySet()) {
      byId.put(entry.getKey(), finished(entry.getValue()));
    }
    parents = new int[definitions.size()];
    frames = new SampledFrame[parents.length];
    for (int i = 0; i < parents.length; i++) {
      Node node = definitions.get(i);
      int parent = nodes.find(node.parentId);
      parents[i] = node.parentId == 0 ? ROOT : parent < 0 ? LOST : parent;
      frames[i] = frame(byId.get(node.methodId), node);
    }
    definitions = List.of();
    methodEntries = Map.of();
    texts = Map.of();
  }

  private SampledFrame frame(SampledMethod method, Node node) {
    return method == null
        ? LOST_METHOD
        : new SampledFrame(
            method, codes.kind(node.kind), node.line, node.offset, codes.found(node.found));
  }

  private SampledModule finished(SampledModule module) {
    return builds.get(module.name()).equals(SEVERAL) ? module.withOtherBuilds(true) : module;
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

  /** The thread of a key; a placeholder if the recording lacks it. */
  StackThread thread(long key) {
    return threads.getOrDefault(key, StackThread.LOST);
  }

  boolean hasThread(long key) {
    return threads.containsKey(key);
  }

  String state(int code) {
    return codes.state(code);
  }

  StackEnd end(int code) {
    return code == Attributes.LOST.endCode() ? LOST_STACK : codes.end(code);
  }

  /**
   * Fills {@code stack} with the frames of a stack, the thread's first frame first. If definitions
   * are missing, the frames begin with the first known one.
   */
  void resolve(long stackId, List<SampledFrame> stack) {
    stack.clear();
    for (int index = innermost(stackId); index >= 0; index = parents[index]) {
      if (stack.size() == MAX_FRAMES) {
        break;
      }
      stack.add(frames[index]);
    }
    Collections.reverse(stack);
    if (change != SampledFrame.Change.NONE) {
      change(stack);
    }
  }

  private void change(List<SampledFrame> stack) {
    List<SampledFrame> recorded = List.copyOf(stack);
    stack.clear();
    for (int i = 0; i < recorded.size(); i++) {
      boolean isInnermost = i == recorded.size() - 1;
      List<SampledFrame> changed =
          (isInnermost ? changedLast : changedCallers)
              .computeIfAbsent(recorded.get(i), frame -> change.of(frame, isInnermost));
      stack.addAll(changed.subList(0, Math.min(changed.size(), SampledFrame.Change.MAX_FRAMES)));
    }
  }

  /** The frames of a stack, the thread's first frame first; unmodifiable. */
  List<SampledFrame> frames(long stackId) {
    List<SampledFrame> stack = new ArrayList<>();
    resolve(stackId, stack);
    return Collections.unmodifiableList(stack);
  }

  /** The end of a stack by its code, or the one of stacks with missing definitions. */
  StackEnd endOf(long stackId, int code) {
    return isResolved(stackId) ? end(code) : LOST_STACK;
  }

  /** Whether all definitions of a stack are there. */
  boolean isResolved(long stackId) {
    int index = innermost(stackId);
    boolean complete = stackId == 0 || index >= 0;
    for (int count = 0; index >= 0; count++) {
      complete &= frames[index] != LOST_METHOD && parents[index] != LOST && count < MAX_FRAMES;
      if (!complete) {
        return false;
      }
      index = parents[index];
    }
    return complete;
  }

  /** The number of a stack's innermost frame, from 0; negative if it has none. */
  int innermost(long stackId) {
    return stackId == 0 ? ROOT : nodes.find(stackId);
  }

  /** The number of a frame's caller; negative for none. */
  int parent(int frame) {
    return parents[frame];
  }

  /** The frame of a number, as it was recorded. */
  SampledFrame frameAt(int index) {
    return frames[index];
  }
}
