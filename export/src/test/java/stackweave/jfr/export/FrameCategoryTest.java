package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;

/** Which colour a frame has, and that colours can be told apart and read on. */
class FrameCategoryTest {
  /** WCAG's for text of normal size. */
  private static final double MIN_CONTRAST = 4.5;

  /** In CIELAB, where 2 can just be seen by who looks for it. */
  private static final double MIN_DISTANCE = 12;

  private static final double[] LIGHT_INK = rgb(0x24, 0x1f, 0x16);
  private static final double[] DARK_INK = rgb(0x0d, 0x0e, 0x10);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "JavaCalls::call_helper(JavaValue*) [libjvm.so] | native        | JVM",
        "jni_CallLongMethod [libjvm.so]                 | native        | JVM",
        "libjvm.so+0x251560 [libjvm.so]                 | native        | JVM",
        "snappy::RawCompress(char const*) [libsnappy.so] | native       | CPP",
        "operator new(unsigned long) [libstdc++.so.6]   | native        | CPP",
        "app::libjvm.so::f() [libapp.so]                | native        | CPP",
        "clone3 [libc.so.6]                             | native        | NATIVE",
        "libz.so.1+0x10 [libz.so.1]                     | native        | NATIVE",
        "do_syscall_64 [kernel]                         | kernel        | KERNEL",
        "com.example.Main.run                           | C2            | C2",
        "com.example.Main.run                           | compiled      | COMPILED",
        "byte[]                                         | class         | CLASS",
        "com.example.Main.call                          | native method | NATIVE_METHOD",
        "call_stub                                      | stub          | STUB",
        "x                                              | of the future | UNKNOWN",
      })
  void framesAreOfTheirKind(String text, String kind, FrameCategory expected) {
    assertEquals(expected, FrameCategory.of(frame(text, kind)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "clone3 [libc.so.6]                       | native | libc.so.6",
        "libz.so.1+0x10 [libz.so.1]               | native | libz.so.1",
        "clock [vdso]                             | native | [vdso]",
        "f(int [3]) [libc++.so]                   | native | libc++.so",
        "Thread::call_run() [libjvm.so]           | native | JVM (libjvm.so)",
        "0x7f00                                   | native | unknown code",
        "ext4_read [ext4]                         | kernel | kernel",
        "a.B.c                                    | inlined | Java",
        "byte[]                                   | class  | classes of objects",
        "a.B.c                                    | compiled | Java",
        "Interpreter                              | stub   | JVM (stubs, interpreter)",
        "[method not in recording]                | marker | unknown",
      })
  void codeHasItsOrigin(String text, String kind, String expected) {
    assertEquals(expected, CodeOrigin.of(frame(text, kind)));
  }

  /** As of generated code: the name alone says where it is. */
  private static SampledFrame frame(String name, String kind) {
    return new SampledFrame(new SampledMethod(null, "", name, "", 0, "", 0), kind, 0, 0);
  }

  /** Whether it has a symbol or not: it has no file, and its name has brackets. */
  @ParameterizedTest
  @ValueSource(strings = {"clock_gettime", "[vdso]+0xa10", ""})
  void theVdsoHasOneName(String name) {
    SampledModule vdso = new SampledModule("[vdso]", "[vdso]", "", 0, 0, "", "", 0, "", false);
    SampledMethod method = new SampledMethod(vdso, "", name, "", 0, "", 0);
    assertEquals("[vdso]", CodeOrigin.of(new SampledFrame(method, "native", 0, 0)));
  }

  @Test
  void namesCanBeReadOnEveryColour() {
    for (FrameCategory category : FrameCategory.values()) {
      for (int shade = 0; shade < 4; shade++) {
        assertContrast(category + " in light", LIGHT_INK, light(category, shade));
        assertContrast(category + " in the dark", DARK_INK, dark(category, shade));
      }
    }
  }

  @Test
  void theJvmLooksLikeNothingElse() {
    for (FrameCategory category : FrameCategory.values()) {
      if (category != FrameCategory.JVM) {
        assertApart(category + " in light", light(category, 1), light(FrameCategory.JVM, 1));
        assertApart(category + " in the dark", dark(category, 1), dark(FrameCategory.JVM, 1));
      }
    }
    assertApart("C and C++", light(FrameCategory.NATIVE, 1), light(FrameCategory.CPP, 1));
    assertApart("C and C++", dark(FrameCategory.NATIVE, 1), dark(FrameCategory.CPP, 1));
  }

  private static void assertContrast(String what, double[] ink, double[] colour) {
    double high = Math.max(luminance(ink), luminance(colour)) + .05;
    double low = Math.min(luminance(ink), luminance(colour)) + .05;
    assertTrue(high / low >= MIN_CONTRAST, what + ": " + high / low);
  }

  private static void assertApart(String what, double[] one, double[] other) {
    double[] a = lab(one);
    double[] b = lab(other);
    double distance = Math.hypot(Math.hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    assertTrue(distance >= MIN_DISTANCE, what + ": " + distance);
  }

  // ---- as the page makes them

  private static double[] light(FrameCategory category, int shade) {
    return hsl(
        category.color().get(0), category.color().get(1), category.color().get(2) + shade * 1.9);
  }

  private static double[] dark(FrameCategory category, int shade) {
    return hsl(
        category.color().get(0),
        Math.round(category.color().get(1) * .62),
        Math.max(46, category.color().get(2) - 14) + shade * 2.2);
  }

  private static double[] hsl(double hue, double saturation, double lightness) {
    double l = lightness / 100;
    double a = saturation / 100 * Math.min(l, 1 - l);
    double[] rgb = new double[3];
    int[] starts = {0, 8, 4};
    for (int i = 0; i < 3; i++) {
      double k = (starts[i] + hue / 30) % 12;
      rgb[i] = linear(l - a * Math.max(-1, Math.min(Math.min(k - 3, 9 - k), 1)));
    }
    return rgb;
  }

  private static double[] rgb(int red, int green, int blue) {
    return new double[] {linear(red / 255.0), linear(green / 255.0), linear(blue / 255.0)};
  }

  private static double linear(double value) {
    return value <= .04045 ? value / 12.92 : Math.pow((value + .055) / 1.055, 2.4);
  }

  private static double luminance(double[] rgb) {
    return .2126 * rgb[0] + .7152 * rgb[1] + .0722 * rgb[2];
  }

  private static double[] lab(double[] rgb) {
    double x = root((.4124 * rgb[0] + .3576 * rgb[1] + .1805 * rgb[2]) / .9505);
    double y = root(luminance(rgb));
    double z = root((.0193 * rgb[0] + .1192 * rgb[1] + .9505 * rgb[2]) / 1.089);
    return new double[] {116 * y - 16, 500 * (x - y), 200 * (y - z)};
  }

  private static double root(double value) {
    return value > .008856 ? Math.cbrt(value) : 7.787 * value + 16.0 / 116;
  }
}
