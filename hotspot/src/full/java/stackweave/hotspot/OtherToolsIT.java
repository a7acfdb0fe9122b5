package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import stackweave.hotspot.model.FrameKind;
import stackweave.testing.Commands;
import stackweave.testing.Jdk;

/**
 * The stacks of a process that stands still, by the unwinder, by jhsdb (Java frames: method,
 * bytecode index, line, compiled or not) and by gdb (native frames down to the first Java frame:
 * every return address). jhsdb's own mixed mode is no help: it ends after two frames in libc.
 */
class OtherToolsIT {
  private static final int MIN_JAVA_STACKS = 35;
  private static final int MIN_NATIVE_STACKS = 50;

  private static final Pattern JHSDB_THREAD =
      Pattern.compile("\".*\" #\\d+ .* nid=(0x[0-9a-f]+|\\d+) .*");
  private static final Pattern JHSDB_FRAME =
      Pattern.compile(" - ([^ (]+)\\(.*\\) @bci=(-?\\d+)(?:, line=(\\d+))? \\((\\w+) frame.*");

  /** Physical frames only: inlined functions and tail calls, which gdb infers, have none. */
  private static final String GDB_SCRIPT =
      """
      import gdb
      for thread in gdb.selected_inferior().threads():
          thread.switch()
          frame = gdb.newest_frame()
          pcs = []
          while frame is not None:
              if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                  pcs.append("%x" % frame.pc())
              try:
                  frame = frame.older()
              except gdb.error:
                  break
          print("gdb", thread.ptid[1], *pcs)
      """;

  /**
   * One thread as the unwinder sees it.
   *
   * @param natives pcs of the native frames before the first of HotSpot's
   * @param java as {@link #java} puts them
   */
  private record Stack(String end, boolean onlyNative, List<String> natives, List<String> java) {}

  @TestFactory
  Stream<DynamicTest> sameAsJhsdbAndGdb() throws IOException {
    return Jdk.all().stream().map(jdk -> DynamicTest.dynamicTest(jdk.toString(), () -> run(jdk)));
  }

  private static void run(Jdk jdk) throws Exception {
    assumeTrue(Files.isExecutable(jdk.home().resolve("bin/jhsdb")), "no jhsdb in " + jdk);
    List<String> command =
        List.of(
            jdk.java().toString(),
            "-Xbatch",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=exclude," + ParkedBodies.class.getName() + "::warm",
            "-XX:CompileCommand=dontinline," + Gate.class.getName() + "::*",
            "-cp",
            System.getProperty("java.class.path"),
            HeldStacks.class.getName());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      Map<Integer, Stack> stacks = stacks(out);
      compareJava(stacks, jhsdb(jdk, process.pid()));
      if (Commands.exist("gdb")) {
        compareNative(stacks, gdb(process.pid()));
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static Map<Integer, Stack> stacks(BufferedReader out) throws IOException {
    Map<Integer, Stack> stacks = new TreeMap<>();
    List<String> lines = new ArrayList<>();
    int tid = 0;
    boolean held = false;
    for (String line = out.readLine(); line != null && !held; line = held ? line : out.readLine()) {
      held = line.equals("held");
      if (held || line.startsWith("thread ")) {
        if (!lines.isEmpty()) {
          stacks.put(tid, stack(lines));
        }
        lines.clear();
        tid = held ? 0 : Integer.parseInt(line.split(" ")[1]);
      }
      lines.add(line);
    }
    assertTrue(held, () -> "HeldStacks ended: " + lines);
    return stacks;
  }

  private static Stack stack(List<String> lines) {
    List<String> natives = new ArrayList<>();
    List<String> java = new ArrayList<>();
    boolean hotspot = false;
    for (String line : lines.subList(1, lines.size())) {
      String[] words = line.split(" ");
      hotspot |= !words[0].equals("native");
      if (words[0].equals("java")) {
        java.add(java(words[1], words[2], words[3], !words[4].equals("INTERPRETED"), words[4]));
      } else if (!hotspot) {
        natives.add(words[1]);
      }
    }
    return new Stack(lines.get(0).split(" ")[2], !hotspot, natives, java);
  }

  /** Native methods have no bytecodes and no lines; jhsdb gives them an index of 0. */
  private static String java(String name, String bci, String line, boolean compiled, String kind) {
    return kind.equals(FrameKind.NATIVE_METHOD.name())
        ? name
        : name + " @" + bci + (line.equals("-1") ? "" : ":" + line) + (compiled ? " compiled" : "");
  }

  private static Map<Integer, List<String>> jhsdb(Jdk jdk, long pid) throws Exception {
    Map<Integer, List<String>> stacks = new TreeMap<>();
    List<String> frames = new ArrayList<>();
    String tool = jdk.home().resolve("bin/jhsdb").toString();
    for (String line : output(List.of(tool, "jstack", "--pid", Long.toString(pid)))) {
      Matcher thread = JHSDB_THREAD.matcher(line);
      Matcher frame = JHSDB_FRAME.matcher(line);
      if (thread.matches()) {
        frames = new ArrayList<>();
        stacks.put(Integer.decode(thread.group(1)), frames);
      } else if (frame.matches()) {
        String lineNumber = frame.group(3) == null ? "-1" : frame.group(3);
        boolean compiled = frame.group(4).equals("Compiled");
        String name = frame.group(1).replace("+0x", "/0x");
        frames.add(java(name, frame.group(2), lineNumber, compiled, ""));
      }
    }
    return stacks;
  }

  private static void compareJava(Map<Integer, Stack> stacks, Map<Integer, List<String>> jhsdb) {
    int compared = 0;
    for (Map.Entry<Integer, Stack> stack : stacks.entrySet()) {
      List<String> ours = stack.getValue().java();
      if (!ours.isEmpty() && stack.getValue().end().equals("COMPLETE")) {
        List<String> theirs = jhsdb.getOrDefault(stack.getKey(), List.of());
        assertEquals(
            String.join("\n", ours), String.join("\n", asNative(theirs, ours)), "jhsdb says");
        compared++;
      }
    }
    int all = compared;
    System.out.println(all + " stacks have jhsdb's Java frames");
    assertTrue(all >= MIN_JAVA_STACKS, () -> all + " compared; jhsdb: " + jhsdb);
  }

  /** jhsdb does not say which methods are native: where ours is, only the name is compared. */
  private static List<String> asNative(List<String> theirs, List<String> ours) {
    List<String> frames = new ArrayList<>(theirs);
    for (int i = 0; i < Math.min(frames.size(), ours.size()); i++) {
      if (!ours.get(i).contains(" @")) {
        frames.set(i, frames.get(i).replaceFirst(" @.*", ""));
      }
    }
    return frames;
  }

  private static Map<Integer, List<String>> gdb(long pid) throws Exception {
    Path script = Files.createTempFile("stacks", ".py");
    try {
      Files.writeString(script, GDB_SCRIPT);
      List<String> command =
          List.of(
              "/usr/bin/gdb",
              "-nx",
              "-batch",
              "-iex",
              "set debuginfod enabled off",
              "-iex",
              "set backtrace past-main on",
              "-p",
              Long.toString(pid),
              "-x",
              script.toString());
      Map<Integer, List<String>> stacks = new TreeMap<>();
      for (String line : output(command)) {
        String[] words = line.split(" ");
        if (words[0].equals("gdb")) {
          stacks.put(Integer.parseInt(words[1]), List.of(words).subList(2, words.length));
        }
      }
      return stacks;
    } finally {
      Files.delete(script);
    }
  }

  private static void compareNative(Map<Integer, Stack> stacks, Map<Integer, List<String>> gdb) {
    int compared = 0;
    for (Map.Entry<Integer, Stack> entry : stacks.entrySet()) {
      Stack stack = entry.getValue();
      List<String> theirs = gdb.getOrDefault(entry.getKey(), List.of());
      List<String> ours = stack.natives();
      boolean whole = stack.onlyNative() && stack.end().equals("COMPLETE");
      List<String> same =
          whole || theirs.size() < ours.size() ? theirs : theirs.subList(0, ours.size());
      assertEquals(ours, same, () -> "gdb on thread " + entry.getKey() + ": " + theirs);
      compared++;
    }
    int all = compared;
    System.out.println(all + " stacks have gdb's native frames");
    assertTrue(all >= MIN_NATIVE_STACKS, () -> all + " compared; gdb: " + gdb);
  }

  private static List<String> output(List<String> command) throws Exception {
    return Commands.run(command.toArray()).outLines();
  }
}
