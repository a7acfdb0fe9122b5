package stackweave.live.stacks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import stackweave.live.support.Stacks.Frame;
import stackweave.live.support.Stacks.Sample;

/**
 * A stack that is known beforehand, root first, as a little regular grammar over frames: an element
 * is a frame's word, or {@code word+} for one or more of them.
 *
 * <p>The word of a frame is {@code Class.method} for Java (with {@code native:} before it for a
 * native method's wrapper), the symbol for the lab's C code, and for the rest where it is: {@code
 * libjvm}, {@code libc}, {@code stub}, {@code kernel}, …
 */
final class Chain {

  /** From pthreads to the run method of a worker of the apps; lambdas have generated names. */
  static final List<String> WORKER =
      List.of(
          "libc+",
          "libjvm+",
          "stub",
          "java\\.lang\\.Thread\\.run(With)?+",
          "stackweave\\.samples\\.work\\.Workers\\$\\$Lambda.*\\.run",
          "stackweave\\.samples\\.work\\.Workers\\.lambda\\$run\\$0",
          "stackweave\\.samples\\.work\\.Workers\\.repeat");

  private static final String OF_LAB = "pthread_sigqueue";

  private final List<Element> elements = new ArrayList<>();

  private record Element(Pattern word, boolean repeats) {}

  private Chain(List<String> words) {
    for (String word : words) {
      boolean repeats = word.endsWith("+");
      elements.add(
          new Element(
              Pattern.compile(repeats ? word.substring(0, word.length() - 1) : word), repeats));
    }
  }

  static Chain of(List<String> words) {
    return new Chain(words);
  }

  /** Whether the stack is this chain, from its first frame to its last. */
  boolean matches(Sample sample) {
    return matches(sample.frames(), 0, 0);
  }

  private boolean matches(List<Frame> frames, int frame, int element) {
    if (frame == frames.size() || element == elements.size()) {
      return frame == frames.size() && element == elements.size();
    }
    Element next = elements.get(element);
    if (!next.word().matcher(word(frames.get(frame))).matches()) {
      return false;
    }
    return matches(frames, frame + 1, element + 1)
        || next.repeats() && matches(frames, frame + 1, element);
  }

  static String word(Frame frame) {
    if (frame.isJava()) {
      String name =
          frame.qualifiedName().replaceFirst("^stackweave\\.samples\\.lab\\.phase\\.", "");
      return frame.kind().equals("native method") ? "native:" + name : name;
    }
    if (frame.kind().equals("native")) {
      if (frame.module().startsWith("liblab-") || frame.module().startsWith("unpacked")) {
        return frame.name();
      }
      // musl's loader is its C library, and what it lacks is in a library of lab/musl's.
      boolean isOfMusl = frame.module().startsWith("ld-musl-") || frame.name().equals(OF_LAB);
      return isOfMusl ? "libc" : frame.module().replaceFirst("\\.so.*", "");
    }
    return frame.kind();
  }
}
