package stackweave.agent.feature.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.invoke.MethodHandles;
import java.util.List;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.Test;
import stackweave.jfr.call.CallPatterns;

class CallTransformerTest {
  /** A class with so many native methods. */
  private static byte[] natives(String name, int count) {
    ClassWriter writer = new ClassWriter(0);
    writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    for (int i = 0; i < count; i++) {
      writer.visitMethod(Opcodes.ACC_STATIC | Opcodes.ACC_NATIVE, "n" + i, "()V", null, null);
    }
    writer.visitEnd();
    return writer.toByteArray();
  }

  @Test
  void methodsBeyondTheLimitAreSaid() throws Exception {
    WrappedMethods methods =
        new WrappedMethods(
            new CallSwitch(MethodHandles.privateLookupIn(CallHook.class, MethodHandles.lookup())));
    CallTransformer transformer = new CallTransformer(CallPatterns.parse("a.*::*"), methods);
    ClassLoader loader = new ClassLoader(null) {};
    int most = CallHook.MAX_METHODS;
    assertNotNull(transformer.transform(loader, "a/Full", null, null, natives("a/Full", most - 1)));
    assertEquals(List.of(), transformer.takeNotes());
    assertNotNull(transformer.transform(loader, "a/Half", null, null, natives("a/Half", 5)));
    String why = " of its native methods are not timed, since more than " + most + " match";
    assertEquals(List.of("calls: a.Half: 4" + why), transformer.takeNotes());
    assertNull(transformer.transform(loader, "a/None", null, null, natives("a/None", 2)));
    assertEquals(List.of("calls: a.None: 2" + why), transformer.takeNotes());
  }
}
