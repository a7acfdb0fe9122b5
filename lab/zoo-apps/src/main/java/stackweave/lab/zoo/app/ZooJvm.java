package stackweave.lab.zoo.app;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import one.profiler.AsyncProfiler;
import stackweave.lab.phases.PhaseRun;
import stackweave.lab.phases.Phases;
import stackweave.samples.work.Round;
import stackweave.samples.work.Workers;
import stackweave.samples.zoo.JniZoo;

/**
 * Main class of a sampled JVM: {@code ZooJvm CATEGORY SECONDS [COMMAND]} runs a category's threads
 * for some seconds, once they are warm and sampling has begun; an event has the time. The command
 * is async-profiler's, if that is to sample.
 *
 * <p>The names of the threads and of their rounds' classes are known to {@code
 * stackweave.lab.zoo.Category}.
 */
public final class ZooJvm {
  private static final Map<String, Supplier<Map<String, Round>>> CATEGORIES = new LinkedHashMap<>();

  static {
    CATEGORIES.put(
        "javascript",
        () ->
            Map.of(
                "js-compute",
                new JavaScriptRound(JavaScriptRound.COMPUTE),
                "js-objects",
                new JavaScriptRound(JavaScriptRound.OBJECTS)));
    CATEGORIES.put(
        "luajit",
        () ->
            Map.of(
                "lua-loops",
                new LuaRound(LuaRound.LOOPS),
                "lua-tables",
                new LuaRound(LuaRound.TABLES)));
    CATEGORIES.put(
        "inference",
        () ->
            Map.of(
                "onnx-matmul",
                new InferenceRound(OnnxModels.matrices(), 64, 256),
                "onnx-square",
                new InferenceRound(OnnxModels.square(), 200, 200),
                "onnx-conv",
                new InferenceRound(OnnxModels.convolution(), 1, 8, 64, 64)));
    CATEGORIES.put(
        "blas",
        () ->
            Map.of(
                "blas-matrix",
                new BlasRound(BlasRound.Work.MATRICES),
                "blas-vector",
                new BlasRound(BlasRound.Work.VECTORS)));
    CATEGORIES.put(
        "tls",
        () ->
            Map.of(
                "tls-cipher",
                new TlsRound(TlsRound.Work.CIPHERS),
                "tls-sign",
                new TlsRound(TlsRound.Work.SIGNATURES)));
    CATEGORIES.put(
        "wasm",
        () ->
            Map.of(
                "wasm-calls",
                new WasmRound("calls", 23),
                "wasm-loops",
                new WasmRound("loops", 20_000)));
    CATEGORIES.put(
        "jna",
        () -> Map.of("jna-interface", new JnaRound(false), "jna-direct", new JnaRound(true)));
    CATEGORIES.put(
        "ffm",
        () ->
            Map.of(
                "ffm-upcall",
                Phases.rounds("ffm").get(0),
                "ffm-both",
                Phases.rounds("ffm").get(0)));
    CATEGORIES.put("ordinary", ZooJvm::ordinary);
  }

  /** Printed when the time that counts begins. */
  private static final String MEASURING = "measuring";

  private static final double WARM_UP_SECONDS = 1;

  private ZooJvm() {}

  private static Map<String, Round> ordinary() {
    Map<String, Round> rounds = new LinkedHashMap<>();
    rounds.put("ord-rocksdb", new RocksRound());
    rounds.put("ord-duckdb", new SqlRound("jdbc:duckdb:", "SET threads = 1"));
    rounds.put("ord-sqlite", new SqlRound("jdbc:sqlite::memory:", "PRAGMA cache_size = 10000"));
    JniZoo.workers().forEach((name, own) -> rounds.put(name, own.get(0)));
    return rounds;
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, List<Round>> workers = new LinkedHashMap<>();
    CATEGORIES.get(arguments[0]).get().forEach((name, round) -> workers.put(name, List.of(round)));
    double seconds = Double.parseDouble(arguments[1]);
    Workers.run(workers, WARM_UP_SECONDS); // libraries are unpacked, engines compile
    if (arguments.length > 2) {
      AsyncProfiler.getInstance().execute(arguments[2]);
    } else {
      PhaseRun.awaitSampling();
    }
    PhaseRun.PhaseEvent event = new PhaseRun.PhaseEvent();
    event.phase = arguments[0];
    event.begin();
    System.out.println(MEASURING);
    Workers.run(workers, seconds).forEach(System.out::println);
    event.commit();
    if (arguments.length > 2) {
      AsyncProfiler.getInstance().execute("stop");
    }
    // Threads of the libraries don't keep the JVM alive.
    System.exit(0);
  }
}
