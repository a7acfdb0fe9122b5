package stackweave.lab.zoo;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import stackweave.lab.zoo.Category.Chain;
import stackweave.lab.zoo.Stack.Frame;
import stackweave.lab.zoo.Stack.Kind;

/**
 * Says whether a stack that claims to be complete is a chain of calls that can be: from the
 * thread's start to Java, from a native method to its JNI function, and as the category's chains
 * say. It can show that a stack is false; it can't show that every frame is right.
 */
final class ChainJudge {
  private static final Pattern THREAD_START =
      Pattern.compile("libc.*!(start_thread|clone3?|__clone3?)|libjvm[.]so!thread_native_entry");

  /** What calls destructors of thread-local data, libraries' too, once Java has ended. */
  private static final Pattern THREAD_END =
      Pattern.compile("libc.*!(__nptl_deallocate_tsd|__call_tls_dtors)");

  /** Libraries that tell the JVM which C function is which native method. */
  private static final Pattern REGISTERING = Pattern.compile("libconscrypt.*|jna.*[.]tmp.*|ffi.*");

  private static final String JNI = "Java_";

  private final Category category;
  private final Predicate<String> tailCalling;

  /**
   * @param tailCalling whether a JNI function, by its name, may be left by a tail call, which takes
   *     it off the stack
   */
  ChainJudge(Category category, Predicate<String> tailCalling) {
    this.category = category;
    this.tailCalling = tailCalling;
  }

  /** What is false in a stack; empty if nothing was found. */
  Optional<String> fault(Stack stack) {
    List<Frame> frames = stack.frames();
    int root = outermostJava(frames);
    if (root < 0) {
      if (has(frames, -1, THREAD_END)) {
        return Optional.empty();
      }
      return frames.stream()
          .filter(Frame::isForeign)
          .findFirst()
          .map(frame -> "no Java frame outside of " + frame.module());
    }
    Frame outermost = frames.get(root);
    if (!outermost.toString().equals("java.lang.Thread.run")) {
      return Optional.of("the outermost Java frame is not Thread.run");
    }
    if (!has(frames, root, THREAD_START)) {
      return Optional.of("the thread's start is missing");
    }
    for (int i = 0; i < frames.size(); i++) {
      Optional<String> fault = faultAt(stack, i);
      if (fault.isPresent()) {
        return fault;
      }
    }
    return Optional.empty();
  }

  private Optional<String> faultAt(Stack stack, int at) {
    List<Frame> frames = stack.frames();
    Frame frame = frames.get(at);
    if (frame.isForeign()) {
      Optional<String> fault = faultOfCall(frames, at);
      if (fault.isPresent()) {
        return fault;
      }
      String round = category.rounds().get(stack.thread());
      if (frames.subList(at, frames.size()).stream()
          .noneMatch(outer -> outer.toString().equals(round + ".run"))) {
        return Optional.of("the thread's round is missing outside of " + frame.module());
      }
    }
    for (Chain chain : category.chains()) {
      if (chain.inner().matcher(frame.toString()).matches()) {
        int from = at - 1; // the first of them may be the frame itself
        for (Pattern outward : chain.outwards()) {
          from = next(frames, from, outward);
          if (from < 0) {
            return Optional.of("no %s outside of %s".formatted(outward, chain.inner()));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** How Java calls the native frames of which this one is part. */
  private Optional<String> faultOfCall(List<Frame> frames, int at) {
    int end = at;
    while (end < frames.size() && frames.get(end).kind() == Kind.NATIVE) {
      end++;
    }
    int caller = end;
    boolean byStub = false;
    while (caller < frames.size() && frames.get(caller).kind() != Kind.JAVA) {
      byStub = true;
      caller++;
    }
    Frame first = frames.get(end - 1);
    if (caller == frames.size()) {
      return Optional.of(frames.get(at).module() + " below the thread's first Java frame");
    }
    Frame java = frames.get(caller);
    if (!java.isNative()) {
      // Calls of the foreign function interface go through a stub of the JVM.
      return byStub
          ? Optional.empty()
          : Optional.of(frames.get(at).module() + " is called by a method that is not native");
    }
    if (isJniFunction(first, java) || isRegistered(first) || mayTailCall(java)) {
      return Optional.empty();
    }
    return Optional.of("no JNI function between a native method and " + first.module());
  }

  /**
   * Whether a native method's function may rightly be missing. Of overloaded methods one name is
   * looked for; where that is not exported, nothing is known.
   */
  boolean mayTailCall(Frame method) {
    return tailCalling.test(jniName(method));
  }

  /**
   * Whether a function has the name that JNI gives it (JNI specification, Resolving Native Method
   * Names).
   */
  static boolean isJniFunction(Frame function, Frame method) {
    String name = jniName(method);
    return function.name().equals(name) || function.name().startsWith(name + "__");
  }

  private static String jniName(Frame method) {
    return JNI + escaped(method.className()) + "_" + escaped(method.name());
  }

  private static String escaped(String name) {
    StringBuilder text = new StringBuilder();
    for (char unit : name.toCharArray()) {
      if (unit == '.' || unit == '/') {
        text.append('_');
      } else if (unit == '_') {
        text.append("_1");
      } else if (unit < 0x80 && Character.isLetterOrDigit(unit)) {
        text.append(unit);
      } else {
        text.append("_0%04x".formatted((int) unit));
      }
    }
    return text.toString();
  }

  /** Whether the function of a native method, by its name, stands inside of it. */
  static boolean hasJniFunction(List<Frame> frames, int method) {
    return method > 0 && isJniFunction(frames.get(method - 1), frames.get(method));
  }

  /** Whether a function's library may have registered it, so that its name says nothing. */
  static boolean isRegistered(Frame function) {
    return REGISTERING.matcher(function.module()).matches();
  }

  private static int outermostJava(List<Frame> frames) {
    for (int i = frames.size() - 1; i >= 0; i--) {
      if (frames.get(i).kind() == Kind.JAVA) {
        return i;
      }
    }
    return -1;
  }

  private static boolean has(List<Frame> frames, int from, Pattern pattern) {
    return next(frames, from, pattern) >= 0;
  }

  private static int next(List<Frame> frames, int from, Pattern pattern) {
    for (int i = from + 1; i < frames.size(); i++) {
      if (pattern.matcher(frames.get(i).toString()).matches()) {
        return i;
      }
    }
    return -1;
  }
}
