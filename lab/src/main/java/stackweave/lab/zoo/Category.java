package stackweave.lab.zoo;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A category of the zoo with what is known of its stacks: each thread's round, and which frames
 * must stand outside of which. {@code stackweave.lab.zoo.app.ZooJvm} runs it.
 */
enum Category {
  /** V8, a JavaScript engine. */
  JAVASCRIPT(
      Map.of(
          "js-compute",
          "stackweave.lab.zoo.app.JavaScriptRound",
          "js-objects",
          "stackweave.lab.zoo.app.JavaScriptRound"),
      List.of(
          new Chain("libjavet.*!.*", "com.caoccao.javet.interop.V8Native[.].*"),
          new Chain("stackweave.lab.zoo.app.JavaScriptRound[$]Helper.add", "libjavet.*!.*"))),
  /** LuaJIT. */
  LUAJIT(
      Map.of(
          "lua-loops",
          "stackweave.lab.zoo.app.LuaRound",
          "lua-tables",
          "stackweave.lab.zoo.app.LuaRound"),
      List.of(
          new Chain("libluajit.*!.*", "party.iroiro.luajava.luajit.LuaJitNatives[.].*"),
          new Chain("stackweave.lab.zoo.app.LuaRound.help", "libluajit.*!.*"))),
  /** ONNX Runtime, whose kernels are assembly. */
  INFERENCE(
      Map.of(
          "onnx-matmul",
          "stackweave.lab.zoo.app.InferenceRound",
          "onnx-square",
          "stackweave.lab.zoo.app.InferenceRound",
          "onnx-conv",
          "stackweave.lab.zoo.app.InferenceRound"),
      List.of(new Chain("libonnxruntime[.]so.*!.*", "ai.onnxruntime.*"))),
  /** OpenBLAS, whose kernels are assembly. */
  BLAS(
      Map.of(
          "blas-matrix",
          "stackweave.lab.zoo.app.BlasRound",
          "blas-vector",
          "stackweave.lab.zoo.app.BlasRound"),
      List.of(new Chain("libopenblas.*!.*", "org.bytedeco.openblas.*"))),
  /** BoringSSL, for the most part assembly. */
  TLS(
      Map.of(
          "tls-cipher",
          "stackweave.lab.zoo.app.TlsRound",
          "tls-sign",
          "stackweave.lab.zoo.app.TlsRound"),
      List.of(new Chain("libconscrypt.*!.*", "org.conscrypt.NativeCrypto[.].*"))),
  /** Wasmtime: Rust, and code that Cranelift makes. */
  WASM(
      Map.of(
          "wasm-calls",
          "stackweave.lab.zoo.app.WasmRound",
          "wasm-loops",
          "stackweave.lab.zoo.app.WasmRound"),
      List.of(
          new Chain("libwasmtime.*!.*", "io.github.kawamuray.wasmtime.*"),
          new Chain("stackweave.lab.zoo.app.WasmRound.help", "libwasmtime.*!.*"))),
  /** The C library's qsort by JNA, which calls Java back. */
  JNA(
      Map.of(
          "jna-interface",
          "stackweave.lab.zoo.app.JnaRound",
          "jna-direct",
          "stackweave.lab.zoo.app.JnaRound"),
      List.of(
          new Chain(
              "stackweave.lab.zoo.app.JnaRound.compare",
              "jna.*!.*",
              "libc.*!.*",
              "jna.*!.*",
              "com.sun.jna.Native.invoke.*|stackweave.lab.zoo.app.JnaRound[$]Direct.qsort"))),
  /** The same by the foreign function interface. */
  FFM(
      Map.of(
          "ffm-upcall",
          "stackweave.lab.phases.ForeignCalls",
          "ffm-both",
          "stackweave.lab.phases.ForeignCalls"),
      List.of(new Chain("stackweave.lab.phases.ForeignCalls.compare", "libc.*!.*"))),
  /** RocksDB, DuckDB, SQLite, zstd, lz4, snappy, zlib: what is not hard. */
  ORDINARY(
      Map.of(
          "ord-rocksdb",
          "stackweave.lab.zoo.app.RocksRound",
          "ord-duckdb",
          "stackweave.lab.zoo.app.SqlRound",
          "ord-sqlite",
          "stackweave.lab.zoo.app.SqlRound",
          "zoo-zstd",
          "stackweave.samples.zoo.ZstdRound",
          "zoo-lz4",
          "stackweave.samples.zoo.Lz4Round",
          "zoo-snappy",
          "stackweave.samples.zoo.SnappyRound",
          "zoo-zlib",
          "stackweave.samples.zoo.ZlibRound"),
      List.of());

  /** The first JDK whose foreign function interface is the final one. */
  private static final int FFM_JDK = 22;

  private final Map<String, String> rounds;
  private final List<Chain> chains;

  Category(Map<String, String> rounds, List<Chain> chains) {
    this.rounds = rounds;
    this.chains = chains;
  }

  /**
   * Frames that must be there, in this order, outside of each frame of a pattern.
   *
   * @param inner matches {@link Stack.Frame#toString} of the inner frame
   * @param outwards match those of frames outside of it, the next one first; others may be between
   */
  record Chain(Pattern inner, List<Pattern> outwards) {
    Chain(String inner, String... outwards) {
      this(Pattern.compile(inner), List.of(outwards).stream().map(Pattern::compile).toList());
    }
  }

  /** As on the command line and in tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The class whose {@code run} each of its threads runs, by the thread's name. */
  Map<String, String> rounds() {
    return rounds;
  }

  List<Chain> chains() {
    return chains;
  }

  boolean isOn(int jdk) {
    return this != FFM || jdk >= FFM_JDK;
  }
}
