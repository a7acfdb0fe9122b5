package stackweave.jfr.export.stall;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;

/** For which stacks the JVM has to wait at a safepoint. */
class ThreadPositionTest {

  /** A frame as {@code kind:name}, of native code {@code library:symbol}. */
  private static SampledFrame frame(String text) {
    String kind = text.substring(0, text.indexOf(':'));
    String name = text.substring(text.indexOf(':') + 1);
    boolean isLibrary = kind.contains(".so");
    boolean isJava = !isLibrary && !kind.equals("stub") && !kind.equals("kernel");
    SampledModule module =
        isLibrary ? new SampledModule("/lib/" + kind, kind, "", 0, 0, "", "", 0, "", false) : null;
    SampledMethod method = new SampledMethod(module, isJava ? "a.B" : "", name, "", 0, "", 0);
    return new SampledFrame(method, isLibrary ? "native" : kind.replace('_', ' '), 0, 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          libc.so.6:start C2:run C2:loop                                    | a.B.loop
          libc.so.6:start C2:run C2_OSR:loop kernel:irq                      | a.B.loop
          libc.so.6:start C2:run inlined:loop libm.so.6:sin                  | a.B.loop
          libc.so.6:start C2:run stub:arraycopy                              | arraycopy of a.B.run
          libc.so.6:start C2:run libjvm.so:grow libc.so.6:memset             | grow [libjvm.so] for a.B.run
          C2:run native_method:call libx.so:f libjvm.so:jni_NewObject        | jni_NewObject [libjvm.so] for a.B.call
          C2:run native_method:call libx.so:f                                |
          C2:run native_method:call libx.so:f libc.so.6:memcpy kernel:fault  |
          C2:run native_method:call                                          |
          C2:run libjvm.so:SafepointSynchronize::block libjvm.so:park        |
          C2:run stub:handler libjvm.so:SafepointMechanism::process          |
          C2:run libjvm.so:Unsafe_Park libjvm.so:Parker::park libc.so.6:wait |
          C2:run libjvm.so:Parker::park libc.so.6:wait kernel:schedule       |
          libc.so.6:start libjvm.so:G1ParScan                                |
          libc.so.6:start libx.so:worker                                     |
          """)
  void lateIsWhoIsInJavaOrInTheJvm(String frames, String expected) {
    List<SampledFrame> stack = new ArrayList<>();
    for (String each : frames.trim().split(" +")) {
      stack.add(frame(each));
    }
    assertEquals(expected == null ? "" : expected, ThreadPosition.late(stack));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          C2:run native_method:hold libx.so:f   | a.B.hold
          C2:run native_method:hold             | a.B.hold
          native_method:hold C2:callback        |
          libx.so:worker                        |
          """)
  void theNativeMethodIsTheInnermostJavaFrame(String frames, String expected) {
    List<SampledFrame> stack = new ArrayList<>();
    for (String each : frames.trim().split(" +")) {
      stack.add(frame(each));
    }
    assertEquals(expected == null ? "" : expected, ThreadPosition.nativeMethod(stack));
  }
}
