package stackweave.hotspot.method;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ClassFileNames against the grammar of the class file. */
class ClassFileNamesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "()V true",
        "(IJ)Ljava/lang/String; true",
        "([[Ljava/lang/String;[I)[D true",
        "V false",
        "() false",
        "()VV false",
        "(V)V false",
        "(L;)V false",
        "(Ljava/lang/String)V false",
        "(I false",
        "([)V false",
        "(Lp/a(b)<c>;)V true",
        "(La[b;)V false",
      })
  void descriptors(String text, boolean valid) {
    assertEquals(valid, ClassFileNames.isMethodDescriptor(text));
  }

  @ParameterizedTest
  @CsvSource({
    "run, true",
    "<init>, true",
    "<clinit>, true",
    "lambda$main$0, true",
    "größe, true",
    "<other>, false",
    "a/b, false",
    "a.b, false",
    "'', false",
    "a;b, false",
    "a[b, false",
    "a\u0001b\u007f, true",
    "\ufffd, true",
    "\ud835x, true",
    "\ud835\udcb3, true",
    "a (b), true"
  })
  void methodNames(String text, boolean valid) {
    assertEquals(valid, ClassFileNames.isMethodName(text));
  }

  @Test
  void classNamesReadAsGetNameHasThem() {
    Runnable hidden = () -> {};
    String binary = hidden.getClass().getName(); // a.B$$Lambda$1/0x… with a dot-free tail
    int slash = binary.indexOf('/');
    String internal =
        binary.substring(0, slash).replace('.', '/') + '+' + binary.substring(slash + 1);
    assertEquals(binary, ClassFileNames.javaClassName(internal));
    assertEquals("java.lang.Object", ClassFileNames.javaClassName("java/lang/Object"));
    assertEquals("p.Hex+0x1f", ClassFileNames.javaClassName("p/Hex+0x1f"));
    assertEquals("p.A+0xsixteenletters00", ClassFileNames.javaClassName("p/A+0xsixteenletters00"));
  }
}
