package stackweave.lab.zoo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import stackweave.lab.zoo.Stack.Frame;
import stackweave.lab.zoo.Stack.Kind;
import stackweave.lab.zoo.Stack.Outcome;

/** A stack as it must be, and the same with one fault each, which the judge must see. */
class ChainJudgeTest {
  private static final String KERNEL = "libonnxruntime.so";
  private static final Frame JNI =
      code("libonnxruntime4j_jni.so", "Java_ai_onnxruntime_OrtSession_run");
  private static final Frame NATIVE_METHOD =
      Frame.ofMethod("ai.onnxruntime.OrtSession", "run", true, Found.TABLES);

  /** The only function that may be left by a tail call. */
  private static final Set<String> TAIL_CALLING =
      Set.of("Java_ai_onnxruntime_OrtSession_closeSession");

  private final ChainJudge judge = new ChainJudge(Category.INFERENCE, TAIL_CALLING::contains);

  private static Frame code(String module, String name) {
    return Frame.ofCode(module, name, Found.TABLES);
  }

  private static List<Frame> right() {
    return new ArrayList<>(
        List.of(
            code(KERNEL, "kernel"),
            code(KERNEL, "run"),
            JNI,
            NATIVE_METHOD,
            Frame.ofMethod("ai.onnxruntime.OrtSession", "run", false, Found.TABLES),
            Frame.ofMethod("stackweave.lab.zoo.app.InferenceRound", "run", false, Found.TABLES),
            Frame.ofMethod("stackweave.samples.work.Workers", "repeat", false, Found.TABLES),
            Frame.ofMethod("java.lang.Thread", "run", false, Found.TABLES),
            Frame.ofOther(Kind.STUB, "call_stub", Found.TABLES),
            code("libjvm.so", "JavaCalls::call_helper"),
            code("libjvm.so", "thread_native_entry"),
            code("libc.so.6", "start_thread")));
  }

  private Optional<String> fault(List<Frame> frames) {
    return judge.fault(new Stack("onnx-conv", frames, Outcome.COMPLETE, "complete"));
  }

  @Test
  void aTrueChainHasNoFault() {
    assertEquals(Optional.empty(), fault(right()));
  }

  @Test
  void theJniFunctionMustNotBeMissing() {
    List<Frame> frames = right();
    frames.remove(JNI);
    assertEquals(
        Optional.of("no JNI function between a native method and " + KERNEL), fault(frames));
  }

  @Test
  void theJniFunctionMustBeTheMethods() {
    List<Frame> frames = right();
    frames.set(2, code("libonnxruntime4j_jni.so", "Java_ai_onnxruntime_OrtSession_close"));
    assertTrue(fault(frames).orElseThrow().startsWith("no JNI function"));
  }

  @Test
  void anOverloadedFunctionHasItsSignatureInItsName() {
    assertTrue(
        ChainJudge.isJniFunction(
            code("lib.so", "Java_p_A_1b_00024C_f__J_3B"),
            Frame.ofMethod("p.A_b$C", "f", true, Found.TABLES)));
  }

  @Test
  void aTailCallTakesTheJniFunctionOffTheStack() {
    List<Frame> frames = right();
    frames.remove(JNI);
    frames.set(2, Frame.ofMethod("ai.onnxruntime.OrtSession", "closeSession", true, Found.TABLES));
    assertEquals(Optional.empty(), fault(frames));
  }

  @Test
  void aLibraryIsNotCalledByAPlainMethod() {
    List<Frame> frames = right();
    frames.remove(NATIVE_METHOD);
    assertTrue(fault(frames).orElseThrow().contains("not native"));
  }

  @Test
  void theRoundMustNotBeMissing() {
    List<Frame> frames = right();
    frames.remove(5);
    assertTrue(fault(frames).orElseThrow().contains("round is missing"));
  }

  @Test
  void aStackMustReachThreadRunAndTheThreadsStart() {
    List<Frame> frames = right();
    frames.remove(7);
    assertTrue(fault(frames).orElseThrow().contains("Thread.run"));
    List<Frame> withoutStart = right().subList(0, 10);
    assertTrue(fault(withoutStart).orElseThrow().contains("start"));
  }

  @Test
  void aLibraryWithoutJavaOutsideIsFalse() {
    assertTrue(
        fault(List.of(code(KERNEL, "kernel"), code("libc.so.6", "start_thread"))).isPresent());
  }

  @Test
  void aCallbackNeedsItsLibraryOutside() {
    ChainJudge javaScript = new ChainJudge(Category.JAVASCRIPT, name -> false);
    List<Frame> frames =
        new ArrayList<>(
            List.of(
                Frame.ofMethod(
                    "stackweave.lab.zoo.app.JavaScriptRound$Helper", "add", false, Found.TABLES),
                Frame.ofOther(Kind.STUB, "call_stub", Found.TABLES),
                code("libjvm.so", "JavaCalls::call_helper"),
                code("libjavet-v8.so", "Java_com_caoccao_javet_interop_V8Native_scriptExecute"),
                Frame.ofMethod(
                    "com.caoccao.javet.interop.V8Native", "scriptExecute", true, Found.TABLES),
                Frame.ofMethod(
                    "stackweave.lab.zoo.app.JavaScriptRound", "run", false, Found.TABLES)));
    frames.addAll(right().subList(6, 12));
    assertEquals(
        Optional.empty(),
        javaScript.fault(new Stack("js-objects", frames, Outcome.COMPLETE, "complete")));
    frames.remove(3);
    assertTrue(
        javaScript
            .fault(new Stack("js-objects", frames, Outcome.COMPLETE, "complete"))
            .orElseThrow()
            .startsWith("no libjavet"));
  }

  @Test
  void falseChainsAreCountedByWhetherTheyAreMarked() {
    List<Frame> frames = right();
    frames.remove(JNI);
    Tally tally = new Tally(Category.INFERENCE, TAIL_CALLING::contains);
    tally.add(
        List.of(
            new Stack("onnx-conv", frames, Outcome.COMPLETE, "complete"),
            new Stack("onnx-conv", frames, Outcome.GUESSED, "complete"),
            new Stack("onnx-conv", right(), Outcome.COMPLETE, "complete"),
            new Stack("onnx-conv", frames.subList(0, 1), Outcome.EARLY, "truncated")));
    assertEquals(1, tally.falseOf(Outcome.COMPLETE));
    assertEquals(1, tally.falseOf(Outcome.GUESSED));
    assertEquals(2, tally.of(Outcome.COMPLETE));
    assertEquals("onnx-conv 75.00 %", tally.lowestThread());
    assertEquals(3, tally.inNativeMethods);
    assertEquals(1, tally.withJniFunction);
  }
}
