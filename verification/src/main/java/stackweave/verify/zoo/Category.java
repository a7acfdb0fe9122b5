package stackweave.verify.zoo;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A category of the zoo with what is known of its stacks: each thread's round, and which frames
 * must stand outside of which. {@code stackweave.zoo.ZooJvm} runs it.
 */
enum Category {
  /** V8, a JavaScript engine. */
  JAVASCRIPT(
      Map.of(
          "js-compute",
          "stackweave.zoo.JavaScriptRound",
          "js-objects",
          "stackweave.zoo.JavaScriptRound"),
      List.of(
          new Chain("libjavet.*!.*", "com.caoccao.javet.interop.V8Native[.].*"),
          new Chain("stackweave.zoo.JavaScriptRound[$]Helper.add", "libjavet.*!.*"))),
  /** LuaJIT. */
  LUAJIT(
      Map.of("lua-loops", "stackweave.zoo.LuaRound", "lua-tables", "stackweave.zoo.LuaRound"),
      List.of(
          new Chain("libluajit.*!.*", "party.iroiro.luajava.luajit.LuaJitNatives[.].*"),
          new Chain("stackweave.zoo.LuaRound.help", "libluajit.*!.*"))),
  /** ONNX Runtime, whose kernels are assembly. */
  INFERENCE(
      Map.of(
          "onnx-matmul",
          "stackweave.zoo.InferenceRound",
          "onnx-square",
          "stackweave.zoo.InferenceRound",
          "onnx-conv",
          "stackweave.zoo.InferenceRound"),
      List.of(new Chain("libonnxruntime[.]so.*!.*", "ai.onnxruntime.*"))),
  /** OpenBLAS, whose kernels are assembly. */
  BLAS(
      Map.of("blas-matrix", "stackweave.zoo.BlasRound", "blas-vector", "stackweave.zoo.BlasRound"),
      List.of(new Chain("libopenblas.*!.*", "org.bytedeco.openblas.*"))),
  /** BoringSSL, for the most part assembly. */
  TLS(
      Map.of("tls-cipher", "stackweave.zoo.TlsRound", "tls-sign", "stackweave.zoo.TlsRound"),
      List.of(new Chain("libconscrypt.*!.*", "org.conscrypt.NativeCrypto[.].*"))),
  /** Wasmtime: Rust, and code that Cranelift makes. */
  WASM(
      Map.of("wasm-calls", "stackweave.zoo.WasmRound", "wasm-loops", "stackweave.zoo.WasmRound"),
      List.of(
          new Chain("libwasmtime.*!.*", "io.github.kawamuray.wasmtime.*"),
          new Chain("stackweave.zoo.WasmRound.help", "libwasmtime.*!.*"))),
  /** The C library's qsort by JNA, which calls Java back. */
  JNA(
      Map.of("jna-interface", "stackweave.zoo.JnaRound", "jna-direct", "stackweave.zoo.JnaRound"),
      List.of(
          new Chain(
              "stackweave.zoo.JnaRound.compare",
              "jna.*!.*",
              "libc.*!.*",
              "jna.*!.*",
              "com.sun.jna.Native.invoke.*|stackweave.zoo.JnaRound[$]Direct.qsort"))),
  /** The same by the foreign function interface. */
  FFM(
      Map.of(
          "ffm-upcall",
          "stackweave.verify.phases.ForeignCalls",
          "ffm-both",
          "stackweave.verify.phases.ForeignCalls"),
      List.of(new Chain("stackweave.verify.phases.ForeignCalls.compare", "libc.*!.*"))),
  /** RocksDB, DuckDB, SQLite, zstd, lz4, snappy, zlib: what is not hard. */
  ORDINARY(
      Map.of(
          "ord-rocksdb",
          "stackweave.zoo.RocksRound",
          "ord-duckdb",
          "stackweave.zoo.SqlRound",
          "ord-sqlite",
          "stackweave.zoo.SqlRound",
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
