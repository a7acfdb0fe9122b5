package stackweave.jfr.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RunnableFuture;
import one.convert.Arguments;
import one.convert.JfrToFlame;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmc.common.IMCFrame;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.IMCThread;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.common.util.IPreferenceValueProvider;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.rules.IResult;
import org.openjdk.jmc.flightrecorder.rules.ResultProvider;
import org.openjdk.jmc.flightrecorder.rules.Severity;
import org.openjdk.jmc.flightrecorder.rules.jdk.latency.MethodProfilingRule;
import org.openjdk.jmc.flightrecorder.stacktrace.tree.Node;
import org.openjdk.jmc.flightrecorder.stacktrace.tree.StacktraceTreeModel;
import stackweave.jfr.Programs;
import stackweave.jfr.read.ReadingProgress;
import stackweave.testing.Commands;
import stackweave.testing.Jdk;

/** Woven recordings as JDK Mission Control, jfr-converter and the JDK's own commands have them. */
class OtherToolsIT {
  private static final int SAMPLES = 400;

  @TempDir private static Path directory;

  static List<Jdk> jdks() {
    return Jdk.onNewest().toList();
  }

  @BeforeAll
  static void record() throws Exception {
    for (Jdk jdk : jdks()) {
      for (int jvm = 0; jvm < 2; jvm++) {
        record(jdk, file(jdk, jvm), jvm, "");
      }
      merge(jdk, "woven", MergeOptions.DEFAULT);
      merge(jdk, "only", new MergeOptions(true, false, false, false));
      merge(jdk, "default", new MergeOptions(false, false, true, false));
    }
  }

  private static void record(Jdk jdk, Path file, int seed, String flags) throws Exception {
    Programs.Outcome outcome =
        Programs.java(
            jdk,
            List.of(),
            MixedProgram.class,
            List.of(file.toString(), "" + seed, "2", "" + SAMPLES, flags));
    assertEquals(0, outcome.exit(), outcome.output());
  }

  private static Path file(Jdk jdk, Object name) {
    return directory.resolve(jdk.feature() + "-" + name + ".jfr");
  }

  private static void merge(Jdk jdk, String name, MergeOptions options) throws Exception {
    merge(file(jdk, name), options, file(jdk, 0), file(jdk, 1));
  }

  private static void merge(Path to, MergeOptions options, Path... recordings) throws Exception {
    try (OutputStream out = Files.newOutputStream(to)) {
      RecordingMerge.of(List.of(recordings), options, ReadingProgress.NONE).writeTo(out);
    }
  }

  private static List<String> expected(Jdk jdk) throws Exception {
    List<String> expected = new ArrayList<>(TraceText.expected(file(jdk, 0)));
    expected.addAll(TraceText.expected(file(jdk, 1)));
    Collections.sort(expected);
    assertEquals(4 * SAMPLES, expected.size());
    return expected;
  }

  /** Times, threads and stacks of two JVMs, by JMC's own loader. */
  @ParameterizedTest
  @MethodSource("jdks")
  void missionControlHasEverySample(Jdk jdk) throws Exception {
    List<String> found = new ArrayList<>();
    for (IItemIterable items : executionSamples(file(jdk, "only"))) {
      IMemberAccessor<IMCStackTrace, IItem> trace =
          JfrAttributes.EVENT_STACKTRACE.getAccessor(items.getType());
      IMemberAccessor<IMCThread, IItem> thread =
          JfrAttributes.EVENT_THREAD.getAccessor(items.getType());
      IMemberAccessor<IQuantity, IItem> time =
          JfrAttributes.START_TIME.getAccessor(items.getType());
      for (IItem item : items) {
        found.add(line(time.getMember(item), thread.getMember(item), trace.getMember(item)));
      }
    }
    Collections.sort(found);
    List<String> expected =
        expected(jdk).stream().map(OtherToolsIT::withoutThread).sorted().toList();
    for (int i = 0; i < expected.size(); i++) {
      assertEquals(expected.get(i), found.get(i));
    }
    assertEquals(expected.size(), found.size());
  }

  /** JMC gives no id of the OS. */
  static String withoutThread(String line) {
    return line.replaceFirst(" \\d+/(\\d*)", " $1");
  }

  static String line(IQuantity time, IMCThread thread, IMCStackTrace trace) {
    StringBuilder line = new StringBuilder();
    Long id = thread.getThreadId();
    line.append(time.longValue())
        .append(' ')
        .append(id == null || id <= 0 ? "" : id.toString())
        .append(trace.getTruncationState().isTruncated() ? " truncated" : " whole");
    for (IMCFrame frame : trace.getFrames()) {
      line.append(';')
          .append(frame.getMethod().getType().getFullName().replace('/', '.'))
          .append('.')
          .append(frame.getMethod().getMethodName())
          .append(':')
          .append(frame.getFrameLineNumber())
          .append(':')
          .append(type(frame.getType().getName()));
    }
    return line.toString();
  }

  /** JMC's names of the types. */
  private static String type(String name) {
    return switch (name) {
      case "INTERPRETED" -> "Interpreted";
      case "JIT Compiled" -> "JIT compiled";
      case "INLINED" -> "Inlined";
      case "NATIVE" -> "Native";
      case "CPP" -> "C++";
      case "KERNEL" -> "Kernel";
      default -> name;
    };
  }

  private static IItemCollection executionSamples(Path file) throws Exception {
    return JfrLoaderToolkit.loadEvents(file.toFile())
        .apply(ItemFilters.type("jdk.ExecutionSample"));
  }

  /**
   * The tree that its flame graph and its stack trace view are drawn from. For truncated stacks it
   * has a node more, and their innermost frame is not in it.
   */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void missionControlsTreeHasEveryStack(Jdk jdk) throws Exception {
    Path recording = file(jdk, "whole");
    Path only = file(jdk, "only-whole");
    record(jdk, recording, 0, "whole");
    merge(only, new MergeOptions(true, false, false, false), recording);
    StacktraceTreeModel model = new StacktraceTreeModel(executionSamples(only));
    Node root = model.getRoot();
    assertEquals(
        2 * SAMPLES, root.getChildren().stream().mapToDouble(Node::getCumulativeWeight).sum());
    Map<String, Integer> leaves = new TreeMap<>();
    add(root, leaves);
    Map<String, Integer> expected = new TreeMap<>();
    for (String line : TraceText.expected(recording)) {
      String innermost = line.split(";")[1];
      expected.merge(innermost.replaceFirst(":\\d+:[^:]+$", ""), 1, Integer::sum);
    }
    assertEquals(expected, leaves);
  }

  private static void add(Node node, Map<String, Integer> leaves) {
    if (!node.isRoot() && node.getWeight() > 0) {
      var method = node.getFrame().getMethod();
      String name = method.getType().getFullName().replace('/', '.') + "." + method.getMethodName();
      leaves.merge(name, (int) node.getWeight(), Integer::sum);
    }
    node.getChildren().forEach(child -> add(child, leaves));
  }

  /** The rule behind the page Method Profiling: a result of our samples, not for lack of any. */
  @ParameterizedTest
  @MethodSource("jdks")
  void missionControlsMethodProfilingRuleHasAResult(Jdk jdk) throws Exception {
    IItemCollection events = JfrLoaderToolkit.loadEvents(file(jdk, "woven").toFile());
    RunnableFuture<IResult> evaluation =
        new MethodProfilingRule()
            .createEvaluation(
                events, IPreferenceValueProvider.DEFAULT_VALUES, new ResultProvider());
    evaluation.run();
    IResult result = evaluation.get();
    assertTrue(result.getSeverity() != Severity.NA, result.getSummary());
    assertTrue(result.getSeverity() != Severity.IGNORE, result.getSummary());
    System.out.println("JMC: " + result.getSeverity() + ": " + result.getSummary());
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void jfrConverterHasEveryStack(Jdk jdk) throws Exception {
    Map<String, Integer> expected = new TreeMap<>();
    for (String line : expected(jdk)) {
      expected.merge(collapsed(line), 1, Integer::sum);
    }
    assertEquals(expected, converted(file(jdk, "only")));
    // All of ours and none of JFR's own have the state that it looks for.
    assertEquals(expected, converted(file(jdk, "default"), "--cpu"));
  }

  private static Map<String, Integer> converted(Path file, String... options) throws Exception {
    Path out = directory.resolve("collapsed.txt");
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of("-o", "collapsed", "--dot", file.toString(), out.toString()));
    JfrToFlame.convert(
        file.toString(), out.toString(), new Arguments(arguments.toArray(String[]::new)));
    Map<String, Integer> stacks = new TreeMap<>();
    for (String line : Files.readAllLines(out)) {
      int space = line.lastIndexOf(' ');
      String stack = line.substring(0, space).replaceAll("_\\[[0-9a-z]](;|$)", "$1");
      stacks.merge(stack, Integer.parseInt(line.substring(space + 1)), Integer::sum);
    }
    return stacks;
  }

  /** The outermost first; C++ and kernel functions without their library. */
  private static String collapsed(String line) {
    List<String> frames = new ArrayList<>(List.of(line.split(";")));
    frames.remove(0);
    Collections.reverse(frames);
    frames.replaceAll(OtherToolsIT::converterText);
    return String.join(";", frames);
  }

  private static String converterText(String frame) {
    int type = frame.lastIndexOf(':');
    String method = frame.substring(0, frame.lastIndexOf(':', type - 1));
    return switch (frame.substring(type + 1)) {
      case "C++" -> method.replaceFirst("^libjvm\\.so\\.", "");
      case "Kernel" -> method.replaceFirst("^kernel\\.", "");
      default -> method;
    };
  }

  /** The commands of every JDK with {@code jfr view}: hot methods have native ones among them. */
  @Test
  void jfrView() throws Exception {
    int views = 0;
    for (Jdk tool : jdks()) {
      if (tool.feature() < 21) {
        continue;
      }
      for (Jdk jdk : jdks()) {
        String view =
            Commands.output(
                tool.home().resolve("bin/jfr"), "view", "hot-methods", file(jdk, "only"));
        assertTrue(view.contains("program.main()"), view);
        assertTrue(view.contains("Plain.nativeCall(int, long)"), view);
        views++;
      }
    }
    assertTrue(views > 0 || jdks().stream().allMatch(jdk -> jdk.feature() < 21));
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void jfrPrint(Jdk jdk) throws Exception {
    for (Jdk tool : jdks()) {
      String print =
          Commands.output(
              tool.home().resolve("bin/jfr"),
              "print",
              "--events",
              "jdk.ExecutionSample",
              file(jdk, "only"));
      assertEquals(4 * SAMPLES, print.split("jdk\\.ExecutionSample \\{").length - 1);
      assertTrue(print.contains("libfoo.so+0x"), "functions without a symbol");
    }
  }
}
