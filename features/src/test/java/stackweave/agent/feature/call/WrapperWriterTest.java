package stackweave.agent.feature.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Externalizable;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.AbstractList;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.agent.jdk.hook.HookException;
import stackweave.jfr.call.TimedMethods;

/** Classes with wrappers, and which get none. What calls then do is in NativeCallsIT. */
class WrapperWriterTest {
  @Retention(RetentionPolicy.RUNTIME)
  @interface Note {
    String value();
  }

  static class Plain {
    @Note("kept")
    protected synchronized native <T extends Number> long all(
        @Note("too") T a, long b, double c, boolean d, float[] e, String[][] f) throws IOException;

    static native void none();

    public native char left();

    String plain() {
      return "plain";
    }
  }

  @SuppressWarnings("serial") // that it has no version is the point
  public static class Serial implements Serializable {
    native int number();
  }

  static class Versioned extends Serial {
    private static final long serialVersionUID = 1;

    native int number();
  }

  @SuppressWarnings("serial") // that it has no version is the point
  static class Inherited extends ArrayList<String> {
    native int number();
  }

  @SuppressWarnings("serial") // that it has no version is the point
  abstract static class External implements Externalizable {
    native int number();
  }

  abstract static class NotSerial extends AbstractList<String> implements Runnable {
    native int number();
  }

  /** Defines changed classes, and has the others from their own loader. */
  private static final class Loader extends ClassLoader {
    Loader() {
      super(WrapperWriterTest.class.getClassLoader());
    }

    Class<?> define(String name, byte[] classFile) {
      return defineClass(name, classFile, 0, classFile.length);
    }
  }

  private static byte[] classFile(Class<?> type) throws IOException {
    String name = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
    try (InputStream in = type.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  private static Class<?> wrapped(Class<?> type) throws IOException {
    byte[] changed =
        WrapperWriter.write(
            classFile(type), (name, descriptor) -> name.equals("left") ? -1 : 4_000);
    return new Loader().define(type.getName(), changed);
  }

  @Test
  void theWrapperIsLikeTheMethodButNative() throws Exception {
    Class<?> type = wrapped(Plain.class);
    Object made = instance(type);
    assertEquals("plain", method(type, "plain").invoke(made), "verified");
    Method own = method(Plain.class, "all");
    Method wrapper = method(type, "all");
    assertEquals(own.toGenericString().replace("native ", ""), wrapper.toGenericString());
    assertEquals("kept", ((Note) wrapper.getAnnotations()[0]).value().toString());
    assertEquals(1, wrapper.getParameterAnnotations()[0].length);
    Method prefixed = method(type, TimedMethods.PREFIX + "all");
    assertEquals(Modifier.PRIVATE | Modifier.NATIVE, prefixed.getModifiers() & 0xFFF);
    assertTrue(prefixed.isSynthetic());
    assertTrue(Modifier.isStatic(method(type, TimedMethods.PREFIX + "none").getModifiers()));
    assertTrue(Modifier.isNative(method(type, "left").getModifiers()));
  }

  private static Object instance(Class<?> type) throws ReflectiveOperationException {
    var constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    return constructor.newInstance();
  }

  private static Method method(Class<?> type, String name) {
    for (Method method : type.getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        method.setAccessible(true);
        return method;
      }
    }
    throw new AssertionError(type + " has no " + name);
  }

  /** Stack maps came with version 50; up to 50 the verifier can do without. */
  @ParameterizedTest
  @ValueSource(ints = {48, 49, 50, 51, 52, 55, 61})
  void classFilesOfAllVersionsAreValid(int version) throws Exception {
    byte[] old = classFile(Old.class);
    old[7] = (byte) version;
    byte[] changed = WrapperWriter.write(old, (name, descriptor) -> 1);
    Class<?> type = new Loader().define(Old.class.getName(), changed);
    assertNotNull(instance(type));
    assertEquals(2, type.getDeclaredMethods().length);
  }

  /** Has nothing that old class files can't have. */
  static class Old {
    private native Object[] call(int a, long b, Object[] c);
  }

  @Test
  void aClassWithoutSuchMethodsStaysAsItIs() throws Exception {
    assertNull(WrapperWriter.write(classFile(Loader.class), (name, descriptor) -> 1));
    assertNull(WrapperWriter.write(classFile(Plain.class), (name, descriptor) -> -1));
  }

  /** What leaving them alone is good for. */
  @Test
  void aWrapperWouldChangeTheDefaultVersion() throws Exception {
    assertNotEquals(
        ObjectStreamClass.lookup(Serial.class).getSerialVersionUID(),
        ObjectStreamClass.lookup(wrapped(Serial.class)).getSerialVersionUID());
    assertEquals(1, ObjectStreamClass.lookup(wrapped(Versioned.class)).getSerialVersionUID());
  }

  private static String whyNot(Class<?> type) throws IOException {
    return ClassFacts.of(classFile(type)).whyNotWrapped(type.getClassLoader());
  }

  @Test
  void serializableClassesWithoutVersionAreLeftAlone() throws Exception {
    for (Class<?> type : new Class<?>[] {Serial.class, Inherited.class, External.class}) {
      assertTrue(whyNot(type).startsWith("is Serializable"), type + ": " + whyNot(type));
    }
    for (Class<?> type : new Class<?>[] {Plain.class, Versioned.class, NotSerial.class}) {
      assertEquals("", whyNot(type), type::toString);
    }
  }

  @Test
  void soAreThoseWhoseSupertypesCantBeRead() throws Exception {
    ClassLoader blind = new ClassLoader(null) {};
    String whyNot = ClassFacts.of(classFile(Versioned.class)).whyNotWrapped(blind);
    assertEquals("", whyNot);
    whyNot = ClassFacts.of(classFile(Sub.class)).whyNotWrapped(blind);
    assertTrue(whyNot.contains("Plain can't be read"), whyNot);
  }

  static class Sub extends Plain {
    native int number();
  }

  static class Registered {
    native int getpid();

    static void register() {
      com.sun.jna.Native.register("c");
    }
  }

  interface OwnLibrary extends com.sun.jna.Library {}

  static class OfLibrary implements OwnLibrary {
    native int getpid();
  }

  /** JNA takes the prefixed native method for one of the library's, and fails. */
  @Test
  void classesThatJnaLinksAreLeftAlone() throws Exception {
    for (Class<?> type : new Class<?>[] {Registered.class, OfLibrary.class}) {
      assertTrue(whyNot(type).startsWith("is linked by JNA"), type + ": " + whyNot(type));
    }
  }

  /** It may still be handed to JNA by another class, which finds functions by this method. */
  @Test
  void jnaLooksUpFunctionsWhereItIsTold() throws Exception {
    assertTrue(JnaLookup.isLookup("com/sun/jna/NativeLibrary"));
    assertTrue(JnaLookup.isLookup("shaded/com/sun/jna/NativeLibrary"));
    assertTrue(!JnaLookup.isLookup("com/sun/jna/Native"));
    assertNotNull(JnaLookup.write(classFile(com.sun.jna.NativeLibrary.class)));
    assertThrows(HookException.class, () -> JnaLookup.write(classFile(Plain.class)));
    assertEquals("getpid", CallHook.plainName(TimedMethods.PREFIX + "getpid"));
    assertEquals("getpid", CallHook.plainName("getpid"));
  }

  enum Number {
    ONE;

    native int number();
  }

  /** Whose version is always 0. */
  @Test
  void enumsAreNotLeftAlone() throws Exception {
    assertEquals("", whyNot(Number.class));
    assertEquals(0, ObjectStreamClass.lookup(Number.class).getSerialVersionUID());
  }

  @Test
  void theJdkIsToldApart() {
    assertTrue(CallTransformer.isOfJdk(null, null));
    assertTrue(CallTransformer.isOfJdk(ClassLoader.getPlatformClassLoader(), null));
    assertTrue(
        !CallTransformer.isOfJdk(
            WrapperWriterTest.class.getClassLoader(),
            WrapperWriterTest.class.getProtectionDomain()));
  }
}
