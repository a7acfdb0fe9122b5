package stackweave.maps.demangle;

import java.util.ArrayList;
import java.util.List;

/**
 * Parses the names of C++ functions as GCC and Clang mangle them; one instance per name. The types
 * of parameters are parsed only where more of the name follows, and are not shown. Of expressions
 * only literals and addresses of functions are shown, all others as {@code ...}.
 *
 * <p>Source: Itanium C++ ABI, section 5.1 "External Names (a.k.a. Mangling)", whose productions the
 * methods are named after. What is not understood ends in {@link UndemangledException}.
 */
final class ItaniumDemangler extends ItaniumExpressions {
  /** What a substitution can stand for. */
  private final List<Part> substitutions = new ArrayList<>();

  /** The template arguments of the function's name so far, to which its types refer. */
  private List<Part> templateArguments = new ArrayList<>();

  /** Those of a conversion operator, which stand behind its type; null if not known yet. */
  private final List<Part> conversionArguments;

  private boolean inConversion;

  /** Whether the type of a conversion operator lacks arguments that are not known yet. */
  private boolean isIncomplete;

  private boolean inLambda;

  private ItaniumDemangler(String mangled, List<Part> conversionArguments) {
    super(mangled);
    this.conversionArguments = conversionArguments;
  }

  /** The name that begins with {@code _Z}, with the marks of {@link Demangler}. */
  static String parse(String mangled) {
    ItaniumDemangler parser = new ItaniumDemangler(mangled, null);
    String name = parser.mangledName();
    return parser.isIncomplete
        ? new ItaniumDemangler(mangled, parser.templateArguments).mangledName()
        : name;
  }

  private String mangledName() {
    expect("_Z");
    return text(encoding(false));
  }

  private Part remember(Part part) {
    substitutions.add(part);
    return part;
  }

  // ---- names ---------------------------------------------------------------------------------

  @Override
  Part encoding(boolean isPart) {
    enter();
    List<Part> outer = templateArguments;
    templateArguments = new ArrayList<>();
    boolean special = (peek() == 'G' || peek() == 'T') && !isDigit(peek(1)) && peek(1) != '_';
    Part name = special ? specialName() : name(true);
    if (isPart) {
      if (isIncomplete) {
        throw fail();
      }
      while (peek() != 'E') {
        type();
      }
      templateArguments = outer;
    }
    leave();
    return name;
  }

  private Part specialName() {
    String code = in.startsWith("GT", at) ? text(3) : text(2);
    String text = ItaniumTables.SPECIAL.get(code);
    if (text == null) {
      throw fail();
    }
    Part of =
        switch (code) {
          case "TV", "TT", "TI", "TS", "TF" -> type();
          case "GV", "TH", "TW" -> name(false);
          default -> {
            if (code.charAt(0) == 'T') {
              for (char each : (code.equals("Tc") ? "cc" : code.substring(1)).toCharArray()) {
                callOffset(each == 'c' ? next() : each);
              }
            }
            yield encoding(false);
          }
        };
    return new Part(join(text, text(of)));
  }

  private void callOffset(char kind) {
    for (int i = 0; i < (kind == 'h' ? 1 : 2); i++) {
      take('n');
      digits();
      expect("_");
    }
  }

  /**
   * @param ofFunction whether types after the name refer to its template arguments
   */
  private Part name(boolean ofFunction) {
    enter();
    Part name;
    if (take('N')) {
      name = nestedName(ofFunction);
    } else if (take('Z')) {
      name = localName(ofFunction);
    } else if (peek() == 'S' && peek(1) != 't') {
      name = template(substitution(), ofFunction);
    } else {
      boolean std = take("St");
      name = unqualifiedName(null);
      name = std ? qualified(new Part("std"), name) : name;
      if (peek() == 'I') {
        name = template(remember(name), ofFunction);
      }
    }
    leave();
    return name;
  }

  private Part qualified(Part scope, Part name) {
    return scope == null ? name : new Part(join(text(scope), "::", text(name)), name.base());
  }

  private Part template(Part name, boolean ofFunction) {
    return new Part(join(text(name), templateArguments(ofFunction)), name.base());
  }

  /** Behind {@code N}. */
  private Part nestedName(boolean ofFunction) {
    take('H');
    cvQualifiers();
    if (!take('R')) {
      take('O');
    }
    Part prefix = null;
    while (!take('E')) {
      char c = peek();
      boolean fresh = true;
      if (take("St")) {
        prefix = qualified(prefix, new Part("std"));
        fresh = false;
      } else if (c == 'S') {
        if (prefix != null) {
          throw fail();
        }
        prefix = substitution();
        fresh = false;
      } else if (c == 'I') {
        if (prefix == null) {
          throw fail();
        }
        prefix = template(prefix, ofFunction);
      } else if (c == 'T') {
        prefix = qualified(prefix, templateParameter());
      } else if (take("Dt") || take("DT")) {
        prefix = qualified(prefix, decltype());
      } else if (c == 'M') {
        at++; // a lambda in the initialiser of the member just named
        fresh = false;
      } else {
        prefix = qualified(prefix, unqualifiedName(prefix));
      }
      if (fresh && peek() != 'E') {
        remember(prefix);
      }
    }
    if (prefix == null) {
      throw fail();
    }
    return prefix;
  }

  /** Behind {@code Z}. */
  private Part localName(boolean ofFunction) {
    Part scope = encoding(true);
    expect("E");
    if (take('d')) {
      scope = qualified(scope, new Part("{default arg#" + (index() + 1) + "}"));
    }
    Part name = name(ofFunction);
    discriminator();
    return qualified(scope, name);
  }

  private void discriminator() {
    if (take("__")) {
      digits();
      expect("_");
    } else if (peek() == '_' && isDigit(peek(1))) {
      at += 2;
    }
  }

  /**
   * @param scope what the name is a member of, for constructors; may be null
   */
  private Part unqualifiedName(Part scope) {
    take('F'); // a friend function, named in a class
    char c = peek();
    Part name;
    if (isDigit(c)) {
      name = sourceName();
    } else if (take('L')) {
      name = unqualifiedName(scope);
      discriminator();
    } else if (c == 'U') {
      name = unnamedType();
    } else if (c == 'C' || c == 'D') {
      name = constructor(scope);
    } else {
      name = operatorName();
    }
    while (take('B')) {
      identifier();
    }
    return name;
  }

  private Part constructor(Part scope) {
    boolean destructor = next() == 'D';
    boolean inheriting = !destructor && take('I');
    if (scope == null || !isDigit(next())) {
      throw fail();
    }
    if (inheriting) {
      type();
    }
    return new Part(destructor ? "~" + scope.base() : scope.base());
  }

  private Part sourceName() {
    String name = identifier();
    boolean anonymous =
        name.startsWith("_GLOBAL_") && name.length() > 9 && "._$".indexOf(name.charAt(8)) >= 0;
    return new Part(anonymous && name.charAt(9) == 'N' ? "(anonymous namespace)" : name);
  }

  @Override
  Part simpleName() {
    return withArguments(sourceName());
  }

  @Override
  Part withArguments(Part name) {
    return peek() == 'I' ? template(name, false) : name;
  }

  private Part unnamedType() {
    if (take("Ut")) {
      return new Part("{unnamed type#" + (index() + 1) + "}");
    }
    expect("Ul");
    boolean outer = inLambda;
    inLambda = true;
    while (peek() != 'E') {
      type();
    }
    inLambda = outer;
    expect("E");
    return new Part("{lambda#" + (index() + 1) + "}");
  }

  @Override
  Part operatorName() {
    if (take("cv")) {
      boolean outer = inConversion;
      inConversion = true;
      Part to = type();
      inConversion = outer;
      return new Part(join("operator ", text(to)));
    }
    if (take("li")) {
      return new Part("operator\"\" " + identifier());
    }
    String operator = ItaniumTables.OPERATOR.get(text(2));
    if (operator == null) {
      throw fail();
    }
    return new Part("operator" + (isLower(operator.charAt(0)) ? " " : "") + operator);
  }

  // ---- substitutions and template arguments -----------------------------------------------------

  private Part substitution() {
    expect("S");
    char c = next();
    if (c == '_' || isDigit(c) || c >= 'A' && c <= 'Z') {
      at--;
      int index = seqId();
      if (index >= substitutions.size()) {
        throw fail();
      }
      return substitutions.get(index);
    }
    Part standard =
        switch (c) {
          case 'a' -> new Part("std::allocator", "allocator");
          case 'b' -> new Part("std::basic_string", "basic_string");
          case 's' -> standard("string", ", std::allocator<char>");
          case 'i' -> standard("istream", "");
          case 'o' -> standard("ostream", "");
          case 'd' -> standard("iostream", "");
          default -> throw fail();
        };
    if (peek() != 'B') {
      return standard;
    }
    while (take('B')) {
      identifier();
    }
    return remember(standard);
  }

  /** A constructor needs the template's name, not the short one. */
  private Part standard(String name, String more) {
    boolean full = peek() == 'C' || peek() == 'D';
    String base = "basic_" + name;
    String arguments = "char, std::char_traits<char>" + more;
    return new Part("std::" + (full ? base + Demangler.marked(arguments) : name), base);
  }

  /** 0 for an underscore, else one more than the number of base 36 before it. */
  private int seqId() {
    int value = 0;
    if (peek() != '_') {
      while (isDigit(peek()) || peek() >= 'A' && peek() <= 'Z') {
        value = value * 36 + Character.digit(next(), 36);
        if (value > in.length()) {
          throw fail();
        }
      }
      value++;
    }
    expect("_");
    return value;
  }

  /**
   * @param ofFunction whether they are those of the function's name, which its types refer to
   */
  private String templateArguments(boolean ofFunction) {
    enter();
    expect("I");
    List<Part> arguments = new ArrayList<>();
    if (ofFunction) {
      templateArguments = arguments;
    }
    while (!take('E')) {
      arguments.add(take('I') ? pack() : templateArgument());
    }
    leave();
    return Demangler.marked(list(arguments));
  }

  private Part templateArgument() {
    if (take('J')) {
      return pack();
    }
    if (take('X')) {
      return new Part(expressionToE());
    }
    return peek() == 'L' ? new Part(literal()) : type();
  }

  private Part pack() {
    List<Part> pack = new ArrayList<>();
    while (!take('E')) {
      pack.add(templateArgument());
    }
    return new Part(list(pack));
  }

  /** Parts with commas between them; an empty pack leaves none. */
  private String list(List<Part> parts) {
    StringBuilder list = new StringBuilder();
    for (Part part : parts) {
      String text = text(part);
      list.append(list.isEmpty() || text.isEmpty() ? "" : ", ").append(text);
    }
    return join(list.toString());
  }

  @Override
  Part templateParameter() {
    expect("T");
    int index = index();
    if (inLambda) {
      return new Part("auto:" + (index + 1));
    }
    if (index < templateArguments.size()) {
      return templateArguments.get(index);
    }
    if (inConversion && conversionArguments == null) {
      isIncomplete = true;
      return new Part("");
    }
    if (!inConversion || index >= conversionArguments.size()) {
      throw fail();
    }
    return conversionArguments.get(index);
  }

  // ---- types -----------------------------------------------------------------------------------

  @Override
  Part type() {
    enter();
    Part type = anyType();
    leave();
    return type;
  }

  private Part anyType() {
    char c = peek();
    if (isDigit(c) || c == 'N' || c == 'Z' || in.startsWith("St", at)) {
      return remember(name(false));
    }
    if (c == 'r' || c == 'V' || c == 'K') {
      return qualifiedType();
    }
    at++;
    return switch (c) {
      case 'P' -> remember(pointer(type(), "*"));
      case 'R' -> remember(pointer(type(), "&"));
      case 'O' -> remember(pointer(type(), "&&"));
      case 'C' -> remember(suffixed(type(), " _Complex"));
      case 'G' -> remember(suffixed(type(), " _Imaginary"));
      case 'F' -> remember(functionType(""));
      case 'A' -> remember(arrayType());
      case 'M' -> {
        String sign = join(text(type()), "::*");
        Part member = type();
        yield remember(pointer(member, member.kind() == Kind.PLAIN ? " " + sign : sign));
      }
      case 'T' -> {
        if (take('s') || take('u') || take('e')) {
          yield remember(name(false));
        }
        at--;
        Part parameter = remember(templateParameter());
        yield peek() == 'I' && !inConversion ? remember(template(parameter, false)) : parameter;
      }
      case 'S' -> {
        at--;
        Part known = substitution();
        yield peek() == 'I' ? remember(template(known, false)) : known;
      }
      case 'D' -> dType();
      case 'U' -> {
        if (peek() == 'l' || peek() == 't') {
          at--;
          yield unqualifiedName(null);
        }
        String qualifier = " " + text(simpleName());
        yield remember(suffixed(type(), qualifier));
      }
      case 'u' -> remember(simpleName());
      default -> builtin(String.valueOf(c));
    };
  }

  private static Part builtin(String code) {
    String name = ItaniumTables.BUILTIN.get(code);
    if (name == null) {
      throw fail();
    }
    return new Part(name);
  }

  private Part pointer(Part target, String sign) {
    String open =
        switch (target.kind()) {
          case PLAIN -> "";
          case FUNCTION -> "(";
          case ARRAY -> " (";
        };
    String right = target.kind() == Kind.PLAIN ? target.right() : join(")", target.right());
    return new Part(join(target.left(), open, sign), right, Kind.PLAIN, "");
  }

  private Part suffixed(Part type, String suffix) {
    return new Part(join(type.left(), suffix), type.right(), type.kind(), type.base());
  }

  private Part qualifiedType() {
    String qualifiers = cvQualifiers();
    if (take('F')) {
      return remember(functionType(qualifiers));
    }
    Part exception = exceptionType(qualifiers);
    return exception == null ? remember(suffixed(type(), qualifiers)) : exception;
  }

  /** Behind {@code F}. */
  private Part functionType(String qualifiers) {
    take('Y'); // extern "C"
    Part returned = type();
    List<Part> parameters = new ArrayList<>();
    String reference = "";
    while (!take('E')) {
      boolean last = peek(1) == 'E';
      if (last && take('R')) {
        reference = " &";
      } else if (last && take('O')) {
        reference = " &&";
      } else if (!last || !take('v')) {
        parameters.add(type());
      }
    }
    String right = join("(", list(parameters), ")", qualifiers, reference, returned.right());
    return new Part(join(returned.left(), " "), right, Kind.FUNCTION, "");
  }

  /** A function type with an exception specification; null if none is here. */
  private Part exceptionType(String qualifiers) {
    String exceptions = "";
    if (take("Do")) {
      exceptions = " noexcept";
    } else if (take("DO")) {
      exceptions = " noexcept(" + expressionToE() + ")";
    } else if (take("Dx")) {
      exceptions = " transaction_safe";
    } else if (take("Dw")) {
      exceptions = " throw(" + text(pack()) + ")";
    } else {
      return null;
    }
    expect("F");
    Part function = functionType(qualifiers);
    return remember(
        new Part(function.left(), join(function.right(), exceptions), Kind.FUNCTION, ""));
  }

  /** Behind {@code D}. */
  private Part dType() {
    at--;
    Part function = exceptionType("");
    if (function != null) {
      return function;
    }
    String code = text(2);
    return switch (code) {
      case "Dp" -> remember(type());
      case "Dt", "DT" -> remember(decltype());
      case "Dv" -> {
        take('_');
        String size = isDigit(peek()) ? digits() : expression();
        expect("_");
        yield remember(suffixed(type(), " __vector(" + size + ")"));
      }
      case "DF" -> {
        String bits = digits();
        yield new Part(
            switch (next()) {
              case 'b' -> "std::bfloat" + bits + "_t";
              case 'x' -> "_Float" + bits + "x";
              case '_' -> "_Float" + bits;
              default -> throw fail();
            });
      }
      case "DB", "DU" -> {
        String bits = isDigit(peek()) ? digits() : expression();
        expect("_");
        yield new Part((code.equals("DB") ? "signed" : "unsigned") + " _BitInt(" + bits + ")");
      }
      default -> builtin(code);
    };
  }

  /** Behind {@code Dt}. */
  private Part decltype() {
    return new Part("decltype (" + expressionToE() + ")");
  }

  private Part arrayType() {
    String dimension = isDigit(peek()) ? digits() : peek() == '_' ? "" : expression();
    expect("_");
    Part element = type();
    String inner = element.kind() == Kind.ARRAY ? element.right().substring(1) : element.right();
    return new Part(element.left(), join(" [", dimension, "]", inner), Kind.ARRAY, "");
  }
}
