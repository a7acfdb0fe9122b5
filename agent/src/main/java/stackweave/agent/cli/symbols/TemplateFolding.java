package stackweave.agent.cli.symbols;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
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
  private static final String OPERATOR = "operator";

  /** Longest first. */
  private static final List<String> OPERATORS =
      List.of("<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">");

  /** What makes functions one. */
  private record Key(SampledModule module, String name, String sourceFile) {}

  private final SampledFrame.Change before;
  private final Map<SampledMethod, SampledMethod> folded = new IdentityHashMap<>();
  private final Map<Key, SampledMethod> methods = new HashMap<>();

  /**
   * @param before changes frames first
   */
  public TemplateFolding(SampledFrame.Change before) {
    this.before = before;
  }

  @Override
  public List<SampledFrame> of(SampledFrame frame, boolean isInnermost) {
    List<SampledFrame> frames = before.of(frame, isInnermost);
    List<SampledFrame> changed = null;
    for (int i = 0; i < frames.size(); i++) {
      SampledFrame each = frames.get(i);
      SampledMethod method = each.method();
      if (each.kind().equals(NATIVE) && method.name().indexOf('<') >= 0) {
        SampledMethod one = folded.computeIfAbsent(method, this::folded);
        if (one != method) {
          changed = changed == null ? new ArrayList<>(frames) : changed;
          // Start and offset are still those of the instruction.
          long offset = method.start() + each.offset() - one.start();
          changed.set(i, new SampledFrame(one, each.kind(), each.line(), offset, each.found()));
        }
      }
    }
    return changed == null ? frames : changed;
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
   * A demangled name without the arguments of its templates. Angle brackets that are none stay:
   * those of operators, and Rust's {@code <Type as Trait>}, within which arguments are folded.
   */
  static String fold(String name) {
    StringBuilder text = new StringBuilder();
    int i = 0;
    while (i < name.length()) {
      int operator = operatorAt(name, i);
      int end = operator > 0 || !opensArguments(name, i) ? -1 : endOfArguments(name, i);
      if (operator > 0) {
        text.append(name, i, i + operator);
        i += operator;
      } else if (end > 0) {
        text.append(FOLDED);
        i = end;
      } else {
        text.append(name.charAt(i));
        i++;
      }
    }
    return text.toString();
  }

  /** Whether arguments of a template begin here: behind its name, or {@code ::} in Rust. */
  private static boolean opensArguments(String name, int i) {
    if (name.charAt(i) != '<' || i == 0) {
      return false;
    }
    char last = name.charAt(i - 1);
    boolean behindOperator = operatorEndsAt(name, i);
    boolean turbofish = last == ':' && i > 1 && name.charAt(i - 2) == ':' && i > 2;
    return behindOperator
        || turbofish && !name.startsWith("<impl ", i)
        || Character.isLetterOrDigit(last)
        || last == '_'
        || last == '$'
        || last == ']'
        || last == '}';
  }

  /** Length of the word {@code operator} with a sign that has an angle bracket; 0 if none is. */
  private static int operatorAt(String name, int i) {
    boolean isWord =
        name.startsWith(OPERATOR, i)
            && (i == 0 || !Character.isJavaIdentifierPart(name.charAt(i - 1)));
    if (!isWord) {
      return 0;
    }
    int sign = i + OPERATOR.length();
    for (String each : OPERATORS) {
      if (name.startsWith(each, sign)) {
        return OPERATOR.length() + each.length();
      }
    }
    return 0;
  }

  /** Whether {@code operator+}, {@code operator<<}, {@code operator()} or so ends before here. */
  private static boolean operatorEndsAt(String name, int i) {
    int word = name.lastIndexOf(OPERATOR, i);
    if (word < 0 || i - word - OPERATOR.length() > 3 || i <= word + OPERATOR.length()) {
      return false;
    }
    for (int at = word + OPERATOR.length(); at < i; at++) {
      if (Character.isJavaIdentifierPart(name.charAt(at)) || name.charAt(at) == ':') {
        return false;
      }
    }
    return true;
  }

  /** Behind the bracket that closes the one at {@code start}; −1 if none does. */
  private static int endOfArguments(String name, int start) {
    int angles = 0;
    int others = 0;
    int i = start;
    while (i < name.length()) {
      int operator = operatorAt(name, i);
      if (operator > 0) {
        i += operator;
        continue;
      }
      char c = name.charAt(i);
      if (c == '(' || c == '[' || c == '{') {
        others++;
      } else if (c == ')' || c == ']' || c == '}') {
        others--;
      } else if (others == 0 && c == '<') {
        angles++;
      } else if (others == 0 && c == '>' && name.charAt(i - 1) != '-') {
        angles--;
        if (angles == 0) {
          return i + 1;
        }
      }
      i++;
    }
    return -1;
  }
}
