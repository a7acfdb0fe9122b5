package stackweave.engine.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.engine.EngineJvm;
import stackweave.testing.Jdk;

/** Each kind of stack in a JVM of its own, on every JDK. */
class HandlerStacksMoreIT extends ForeignStacks {
  /** Of the thread's own stack there is a copy, of the other one none. */
  @ParameterizedTest
  @MethodSource("jdksAndForeignStacks")
  void aStackThatIsNotTheThreadsOwnIsNotCopied(Jdk jdk, String function) throws Exception {
    assertForeign(run(jdk, function));
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void aStackThatTheCallerSuppliedIsTheThreadsOwn(Jdk jdk) throws Exception {
    assertOwn(run(jdk, "supplied_stack"));
  }

  /**
   * The kernel writes the signal's frame below sp, whatever is there: into the guard, or beyond.
   */
  @ParameterizedTest
  @MethodSource("jdks")
  void aThreadWithASmallStackGetsNoSignal(Jdk jdk) throws Exception {
    for (String function : SMALL) {
      EngineJvm.Result result = probe(jdk, function);
      assertNoSignal(counts(result, function), function);
      assertEquals("true", result.line("passed over"), result.output());
    }
  }

  /** Of memory that may go, and of threads that the C library does not know: registers only. */
  @ParameterizedTest
  @MethodSource("jdks")
  void whatIsNotKnownForCertainIsNotCopied(Jdk jdk) throws Exception {
    for (String function : UNKNOWN) {
      assertUnknown(run(jdk, function), function);
    }
  }

  static List<Object[]> jdksAndForeignStacks() {
    List<Object[]> cases = new ArrayList<>();
    for (Jdk jdk : EngineJvm.jdks()) {
      for (String function : FOREIGN) {
        cases.add(new Object[] {jdk, function});
      }
    }
    return cases;
  }
}
