package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.export.flamegraph.FlameGraphExport;
import stackweave.jfr.export.flamegraph.FlamePageData;
import stackweave.jfr.export.report.ReportExport;
import stackweave.jfr.export.thread.ThreadGroups;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;

/** Threads are one thread whatever they are called. */
class RenamedThreadsTest {
  private static final int THREADS = 4;
  private static final int REQUESTS = 30;

  private static SampledRecording recording;

  /**
   * A pool that names its threads after requests, two compilers, a pool that doesn't, one of the
   * kernel's short names, and a virtual thread on two carriers.
   */
  @BeforeAll
  static void record(@TempDir Path directory) throws Exception {
    recording =
        ManyStacks.record(
            directory.resolve("renamed.jfr"),
            store -> {
              for (int request = 0; request < REQUESTS; request++) {
                for (int i = 0; i < THREADS; i++) {
                  String name = "exec-" + i + " GET /orders/" + request + "?q=" + request;
                  sample(store, store.thread(100 + i, name, 20 + i, false, 0, null));
                }
              }
              // Seen once, so not known to be renamed but by its like.
              sample(store, store.thread(200, "exec-17 POST /", 40, false, 0, null));
              sample(store, store.thread(201, "C1 CompilerThre", 0, false, 0, null));
              sample(store, store.thread(202, "C2 CompilerThre", 0, false, 0, null));
              sample(store, store.thread(203, "pool-1-thread-1", 41, false, 0, null));
              sample(store, store.thread(204, "pool-1-thread-2", 42, false, 0, null));
              sample(store, store.thread(205, "housekeeper of", 0, false, 0, null));
              sample(store, store.thread(205, "housekeeper of it", 43, false, 0, null));
              sample(store, store.thread(206, "fiber", 44, true, 7, null));
              sample(store, store.thread(207, "fiber", 44, true, 8, null));
            });
  }

  private static void sample(EventStore store, long thread) {
    long work = store.method(MethodDefinition.java("a.Rename", "work", "()V", 1, ""));
    long node = store.node(EventStore.ROOT, work, ManyStacks.C2, -1, 0);
    ManyStacks.sample(store, thread, 0, 10_000_000, node, 0, 0);
  }

  @Test
  void aThreadIsOneProfile() throws Exception {
    Set<String> names = new TreeSet<>();
    int profiles = 0;
    for (JsonElement profile : json(new SpeedscopeExport("", Selection.ALL), "profiles")) {
      names.add(profile.getAsJsonObject().get("name").getAsString());
      profiles++;
    }
    assertEquals(11, profiles, names.toString());
    assertTrue(names.contains("exec-3 GET /orders/... (tid 103)"), names.toString());
    assertTrue(names.contains("housekeeper of it (tid 205)"), names.toString());
    assertTrue(names.contains("fiber (virtual 44)"), names.toString());
  }

  @Test
  void firefoxHasTheSame() throws Exception {
    Map<String, String> names = new TreeMap<>();
    int threads = 0;
    for (JsonElement each : json(new FirefoxExport("", Selection.ALL), "threads")) {
      JsonObject thread = each.getAsJsonObject();
      names.put(thread.get("tid").getAsString(), thread.get("name").getAsString());
      threads++;
    }
    assertEquals(11, threads, names.toString());
    assertEquals("exec-0 GET /orders/...", names.get("100"));
    assertEquals("fiber", names.get("virtual 44"));
  }

  @Test
  void topCountsAPoolAsOne() throws Exception {
    String top =
        text(new TopExport("rec", new TopExport.Options(0, false, true, 1_000)))
            .replaceFirst("(?s).*THREAD\n", "");
    assertTrue(top.contains(" 121  exec-# (5 threads)\n"), top);
    assertTrue(top.contains(" 2  pool-#-thread-# (2 threads)\n"), top);
    assertTrue(top.contains(" 1  C1 CompilerThre\n"), top);
    assertTrue(top.contains(" 1  C2 CompilerThre\n"), top);
    assertTrue(top.contains(" 2  housekeeper of it\n"), top);
    assertTrue(top.contains(" 2  fiber\n"), top);
    assertEquals(6, top.lines().count(), top);
  }

  @Test
  void threadsAreFoldedToPools() {
    ThreadGroups groups = new ThreadGroups(recording);
    Map<String, Long> counts = new TreeMap<>();
    recording.forEachStackSum(
        (sum, series) -> counts.merge(groups.folded(sum.thread()), sum.count(), Long::sum));
    assertEquals(
        Map.of(
            "exec-#", 121L,
            "pool-#-thread-#", 2L,
            "C1 CompilerThre", 1L,
            "C2 CompilerThre", 1L,
            "housekeeper of it", 2L,
            "fiber", 2L),
        counts);
  }

  @Test
  void theFlameGraphsTableHasTheThreads() throws Exception {
    Set<String> threads = new TreeSet<>();
    for (FlamePageData.Stack stack :
        new FlamePageData(text(new FlameGraphExport("rec", false))).stacks) {
      threads.add(stack.thread() + " " + stack.threadId());
    }
    assertEquals(11, threads.size(), threads.toString());
    assertTrue(threads.contains("exec-2 GET /orders/... 102"), threads.toString());
  }

  @Test
  void aThreadThatKeepsACoreBusyIsOne(@TempDir Path directory) throws Exception {
    SampledRecording busy =
        ManyStacks.record(
            directory.resolve("busy.jfr"),
            store -> {
              long work = store.method(MethodDefinition.java("a.Rename", "work", "()V", 1, ""));
              long node = store.node(EventStore.ROOT, work, ManyStacks.C2, -1, 0);
              long begin = System.nanoTime() - 10_000_000_000L;
              for (int i = 0; i < 200; i++) {
                long thread = store.thread(7, "job " + i, 2, false, 0, null);
                store.write(
                    new SampleRecord()
                        .begin(CPU, begin + i * 10_000_000L, 10_000_000)
                        .stack(thread, node, 0, 0));
              }
            });
    Export<SampledRecording> report = new ReportExport("rec", "rec.jfr", false);
    String text = new String(ExportedStacks.bytes(report, busy), StandardCharsets.UTF_8);
    assertTrue(text.contains("job... 7 used 2.00 s of CPU time"), text);
  }

  private static Iterable<JsonElement> json(Export<? super SampledRecording> export, String list)
      throws Exception {
    return JsonParser.parseString(text(export)).getAsJsonObject().getAsJsonArray(list);
  }

  private static String text(Export<? super SampledRecording> export) throws Exception {
    return new String(ExportedStacks.bytes(export, recording), StandardCharsets.UTF_8);
  }

  /** Ids of threads are those of their process: in containers those of two are often equal. */
  @Test
  void threadsOfTwoProcessesAreNotOneThatWasRenamed(@TempDir Path directory) throws Exception {
    Path both = directory.resolve("both.jfr");
    for (int process = 0; process < 2; process++) {
      int first = process;
      Path file = directory.resolve(process + ".jfr");
      ManyStacks.record(
          file,
          store -> {
            String[] names = {"GC Thread#0", "VM Thread", "VM Periodic Task Thread"};
            for (int i = 0; i < names.length; i++) {
              sample(store, store.thread(20 + first + i, names[i], 0, false, 0, null));
            }
            for (int request = 0; request < REQUESTS * first; request++) {
              sample(store, store.thread(30, "exec " + request, 7, false, 0, null));
            }
            if (first == 0) {
              sample(store, store.thread(30, "main", 7, false, 0, null));
            }
          });
      Files.write(
          both, Files.readAllBytes(file), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    SampledRecording two = SampledRecording.open(both);
    assertEquals(2, two.sessions().size());
    Export<Profile> threads = new TopExport("rec", new TopExport.Options(0, false, true, 1_000));
    String top = new String(ExportedStacks.bytes(threads, two), StandardCharsets.UTF_8);
    assertTrue(top.contains(" 30  exec...\n"), top);
    assertTrue(top.contains(" 2  GC Thread#0 (2 threads)\n"), top);
    assertTrue(top.contains(" 2  VM Thread (2 threads)\n"), top);
    assertTrue(top.contains(" 2  VM Periodic Task Thread (2 threads)\n"), top);
    assertTrue(top.contains(" 1  main\n"), top);
    Export<SampledRecording> collapsed = ExportedStacks.collapsed(true);
    String stacks = new String(ExportedStacks.bytes(collapsed, two), StandardCharsets.UTF_8);
    assertTrue(stacks.contains("[main];"), stacks);
  }

  /** What the kernel has left of a name is the same for all of these requests. */
  @Test
  void whichNameAThreadHadIsNotGuessed(@TempDir Path directory) throws Exception {
    SampledRecording renamed =
        ManyStacks.record(
            directory.resolve("short.jfr"),
            store -> {
              sample(store, store.thread(7, "exec-1 GET /ord", 0, false, 0, null));
              sample(store, store.thread(7, "exec-1 GET /orders/12", 20, false, 0, null));
              sample(store, store.thread(7, "exec-1 GET /orders/7", 20, false, 0, null));
            });
    Export<SampledRecording> collapsed = ExportedStacks.collapsed(true);
    String stacks = new String(ExportedStacks.bytes(collapsed, renamed), StandardCharsets.UTF_8);
    assertTrue(stacks.contains("[exec-1 GET /ord];a.Rename.work 1\n"), stacks);
    assertTrue(stacks.contains("[exec-1 GET /orders/7];a.Rename.work 1\n"), stacks);
    Export<SampledRecording> speedscope = new SpeedscopeExport("", Selection.ALL);
    String profiles = new String(ExportedStacks.bytes(speedscope, renamed), StandardCharsets.UTF_8);
    assertEquals(
        1,
        JsonParser.parseString(profiles).getAsJsonObject().getAsJsonArray("profiles").size(),
        profiles);
  }
}
