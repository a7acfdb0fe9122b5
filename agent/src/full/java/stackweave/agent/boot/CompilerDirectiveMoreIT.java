package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The compiler directive where other compilers are asked for. */
class CompilerDirectiveMoreIT extends CompilerDirectives {
  @ParameterizedTest
  @MethodSource("jvms")
  void isNotThereWhereAllCompilersMay(Jvm jvm) throws Exception {
    start(jvm, "=jit=all");
    record(jvm);
    assertEquals(0, count(directives(jvm), OURS));
  }

  /** The agent would be interpreted for ever. */
  @ParameterizedTest
  @MethodSource("jvms")
  void isNotThereWhereC2IsTheOnlyCompiler(Jvm jvm) throws Exception {
    for (String option : List.of("-XX:-TieredCompilation", "-XX:CompilationMode=high-only")) {
      start(jvm, "", option);
      String status = record(jvm);
      assertEquals(0, count(directives(jvm), OURS), option);
      assertEquals(0, count(status, "C2"), status);
      end();
    }
  }

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }
}
