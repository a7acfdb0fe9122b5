package stackweave.hotspot.code;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blobs under the names that Compiler.perfmap prints, from AOT caches too. */
class BlobKindTest {

  @ParameterizedTest
  @CsvSource({
    "StubRoutines (initial stubs), STUB_ROUTINES",
    "initial_blob (stub gen), STUB_ROUTINES", // 27, AOT cache
    "continuation_blob (stub gen), STUB_ROUTINES",
    "DeoptimizationBlob, DEOPTIMIZATION",
    "deopt_blob (shared runtime), DEOPTIMIZATION", // 27, AOT cache
    "uncommon_trap_blob (C2 runtime), DEOPTIMIZATION",
    "exception_blob (C2 runtime), EXCEPTION",
    "adapters, ADAPTER",
    "LIIL, ADAPTER", // 25, AOT cache
    "'', ADAPTER",
    "deoptimize_blob (C1 runtime), RUNTIME",
    "resolve_static_call_blob (shared runtime), RUNTIME",
  })
  void kindOfName(String name, BlobKind kind) {
    assertEquals(kind, BlobKind.ofName(name));
  }
}
