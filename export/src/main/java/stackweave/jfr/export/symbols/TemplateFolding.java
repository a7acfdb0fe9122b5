package stackweave.jfr.export.symbols;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;

/**
 * Shows the instances of a C++ template, or of a generic function of Rust, as one function: {@code
 * std::vector<int, std::allocator<int>>::push_back} is {@code std::vector<...>::push_back}. Used by
 * the commands that read recordings; not thread-safe.
 */
public final class TemplateFolding implements SampledFrame.Change {
  private static final String NATIVE = "native";
  private static final String FOLDED = "<...>";

  /** An operator whose name has an angle bracket. */
  private static final Pattern OPERATOR =
      Pattern.compile("(?<![\\w$])operator(?:<=>|<<=|>>=|->\\*|<<|>>|<=|>=|->|<|>)");

  /**
   * Where arguments of a template begin: behind its name, which may end with an ABI tag or be an
   * operator's, or behind {@code ::} in Rust.
   */
  private static final Pattern OPENING =
      Pattern.compile("(?<=[\\w$\\]}]|(?<![\\w$])operator[^\\w$:]{1,3})<|(?<=.::)<(?!impl )");

  /** Functions with equal keys are shown as one. */
  private record Key(SampledModule module, String name, String sourceFile) {}

  private final SampledFrame.Change before;
  private final Map<SampledMethod, SampledMethod> folded = new IdentityHashMap<>();
  private final Map<Key, SampledMethod> methods = new HashMap<>();

  /**
   * @param before the change that is applied first
   */
  public TemplateFolding(SampledFrame.Change before) {
    this.before = before;
  }

  @Override
  public List<SampledFrame> of(SampledFrame frame, boolean isInnermost) {
    return before.of(frame, isInnermost).stream().map(this::folded).toList();
  }

  private SampledFrame folded(SampledFrame frame) {
    SampledMethod method = frame.method();
    if (!frame.kind().equals(NATIVE) || method.name().indexOf('<') < 0) {
      return frame;
    }
    SampledMethod one = folded.computeIfAbsent(method, this::folded);
    // Start and offset must still add up to the instruction's address.
    long offset = method.start() + frame.offset() - one.start();
    return one == method
        ? frame
        : new SampledFrame(one, frame.kind(), frame.line(), offset, frame.found());
  }

  private SampledMethod folded(SampledMethod method) {
    String name = fold(method.name());
    if (name.equals(method.name())) {
      return method;
    }
    return methods.computeIfAbsent(
        new Key(method.module(), name, method.sourceFile()),
        key ->
            new SampledMethod(
                method.module(),
                method.className(),
                name,
                method.descriptor(),
                method.modifiers(),
                method.sourceFile(),
                method.start()));
  }

  /**
   * A demangled name without the arguments of its templates. Other angle brackets are kept: those
   * of operators, and Rust's {@code <Type as Trait>}, within which arguments are folded.
   */
  static String fold(String name) {
    Matcher operator = OPERATOR.matcher(name).useTransparentBounds(true);
    Matcher opening = OPENING.matcher(name).useTransparentBounds(true);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < name.length(); ) {
      int end = i + 1;
      int close = -1;
      if (operator.region(i, name.length()).lookingAt()) {
        end = operator.end();
      } else if (opening.region(i, name.length()).lookingAt()) {
        close = endOfArguments(name, i, operator);
      }
      text.append(close < 0 ? name.substring(i, end) : FOLDED);
      i = Math.max(end, close);
    }
    return text.toString();
  }

  /** Index behind the bracket that closes the one at {@code start}; −1 if there is none. */
  private static int endOfArguments(String name, int start, Matcher operator) {
    int angles = 0;
    int others = 0;
    for (int i = start; i < name.length(); i++) {
      if (operator.region(i, name.length()).lookingAt()) {
        i = operator.end() - 1;
        continue;
      }
      switch (name.charAt(i)) {
        case '(', '[', '{' -> others++;
        case ')', ']', '}' -> others--;
        case '<' -> angles += others == 0 ? 1 : 0;
        case '>' -> angles -= others == 0 && name.charAt(i - 1) != '-' ? 1 : 0;
        default -> {}
      }
      if (angles == 0) {
        return i + 1;
      }
    }
    return -1;
  }
}
