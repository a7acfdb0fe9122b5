package stackweave.fleet.store;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import stackweave.jfr.export.FrameCache;
import stackweave.jfr.export.FrameCategory;
import stackweave.jfr.export.Names;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;

/** Makes rows of frames, as {@link Table#STACKS} has them. Not thread-safe. */
public final class FrameRows {
  private final FrameCache<String> texts = new FrameCache<>(FrameRows::text);

  /** The row of a frame. */
  public Row of(SampledFrame frame) {
    SampledMethod method = frame.method();
    SampledModule module = method.module();
    boolean isJava = isJava(method);
    return RowFactory.create(
        frame.kind(),
        isJava ? className(method) : null,
        isJava ? symbol(frame) : method.name(),
        isJava ? method.descriptor() : null,
        module == null ? null : module.name(),
        module == null ? null : module.path(),
        module == null ? null : textOrNull(module.buildId()),
        module == null ? null : offset(frame),
        textOrNull(method.sourceFile()),
        frame.line() > 0 ? frame.line() : null,
        FrameCategory.of(frame) == FrameCategory.INLINED,
        frame.found().isGuess(),
        textOrNull(frame.found().label()),
        texts.get(frame));
  }

  /** A Java method's class, without what differs from run to run. */
  public static String className(SampledMethod method) {
    return Names.ofAllRuns(method.className());
  }

  /** Whether it is a Java method. */
  public static boolean isJava(SampledMethod method) {
    return !method.className().isEmpty();
  }

  /** A Java method's name as all exports have it. */
  public static String symbol(SampledFrame frame) {
    return FrameText.of(frame).symbol();
  }

  /** Whether it has the name of a function, and not only a place in a library. */
  public static boolean isNamed(SampledFrame frame) {
    SampledModule module = frame.method().module();
    return module == null
        || module.buildId().isEmpty()
        || isJava(frame.method())
        || !frame.method().name().contains("+0x");
  }

  /** Where in its library the frame is, in the library's own addresses. */
  public static long offset(SampledFrame frame) {
    return frame.method().start() + frame.offset();
  }

  /**
   * The frame's text, without what differs between recordings: numbers in names of classes, and the
   * build that a library has where one recording has several.
   */
  private static String text(SampledFrame frame) {
    SampledMethod method = frame.method();
    SampledModule module = method.module();
    if (module == null || !module.hasOtherBuilds()) {
      return isJava(method) ? Names.ofAllRuns(frame.text()) : frame.text();
    }
    SampledModule alone = module.withOtherBuilds(false);
    SampledMethod same =
        new SampledMethod(alone, "", method.name(), "", 0, method.sourceFile(), method.start());
    return new SampledFrame(same, frame.kind(), frame.line(), frame.offset()).text();
  }

  private static String textOrNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
