package stackweave.maps.demangle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import stackweave.maps.demangle.DemangledNode.Array;
import stackweave.maps.demangle.DemangledNode.Encoding;
import stackweave.maps.demangle.DemangledNode.Expansion;
import stackweave.maps.demangle.DemangledNode.Forward;
import stackweave.maps.demangle.DemangledNode.Function;
import stackweave.maps.demangle.DemangledNode.Lambda;
import stackweave.maps.demangle.DemangledNode.Pack;
import stackweave.maps.demangle.DemangledNode.Parameter;
import stackweave.maps.demangle.DemangledNode.Parts;
import stackweave.maps.demangle.DemangledNode.Pointer;
import stackweave.maps.demangle.DemangledNode.Qualified;
import stackweave.maps.demangle.DemangledNode.Sequence;
import stackweave.maps.demangle.DemangledNode.Standard;
import stackweave.maps.demangle.DemangledNode.Suffixed;
import stackweave.maps.demangle.DemangledNode.Tagged;
import stackweave.maps.demangle.DemangledNode.Template;

/**
 * Parses C++ names as GCC and Clang mangle them; one instance per name.
 *
 * <p>Source: Itanium C++ ABI, section 5.1 "External Names (a.k.a. Mangling)", whose productions the
 * methods are named after. What is not understood ends in {@link UndemangledException}.
 */
final class ItaniumDemangler {
  private static final int MAX_DEPTH = 200;

  /** Builtin types by letter; "" where the letter is no type. */
  private static final Map<Character, String> BUILTIN =
      Map.ofEntries(
          Map.entry('v', "void"),
          Map.entry('w', "wchar_t"),
          Map.entry('b', "bool"),
          Map.entry('c', "char"),
          Map.entry('a', "signed char"),
          Map.entry('h', "unsigned char"),
          Map.entry('s', "short"),
          Map.entry('t', "unsigned short"),
          Map.entry('i', "int"),
          Map.entry('j', "unsigned int"),
          Map.entry('l', "long"),
          Map.entry('m', "unsigned long"),
          Map.entry('x', "long long"),
          Map.entry('y', "unsigned long long"),
          Map.entry('n', "__int128"),
          Map.entry('o', "unsigned __int128"),
          Map.entry('f', "float"),
          Map.entry('d', "double"),
          Map.entry('e', "long double"),
          Map.entry('g', "__float128"),
          Map.entry('z', "..."));

  /** Builtin types of two letters, the first being D. */
  private static final Map<Character, String> BUILTIN_D =
      Map.ofEntries(
          Map.entry('d', "decimal64"),
          Map.entry('e', "decimal128"),
          Map.entry('f', "decimal32"),
          Map.entry('h', "half"),
          Map.entry('i', "char32_t"),
          Map.entry('s', "char16_t"),
          Map.entry('u', "char8_t"),
          Map.entry('a', "auto"),
          Map.entry('c', "decltype(auto)"),
          Map.entry('n', "decltype(nullptr)"));

  /** Suffixes of literals by the letter of their type. */
  private static final Map<Character, String> LITERAL_SUFFIX =
      Map.of('i', "", 'j', "u", 'l', "l", 'm', "ul", 'x', "ll", 'y', "ull");

  /** Operators: their text and how many operands they have in an expression. */
  private record Operator(String text, int operands) {}

  private static final Map<String, Operator> OPERATORS =
      Map.ofEntries(
          operator("nw", "new", 3),
          operator("na", "new[]", 3),
          operator("dl", "delete", 1),
          operator("da", "delete[]", 1),
          operator("ps", "+", 1),
          operator("ng", "-", 1),
          operator("ad", "&", 1),
          operator("de", "*", 1),
          operator("co", "~", 1),
          operator("pl", "+", 2),
          operator("mi", "-", 2),
          operator("ml", "*", 2),
          operator("dv", "/", 2),
          operator("rm", "%", 2),
          operator("an", "&", 2),
          operator("or", "|", 2),
          operator("eo", "^", 2),
          operator("aS", "=", 2),
          operator("pL", "+=", 2),
          operator("mI", "-=", 2),
          operator("mL", "*=", 2),
          operator("dV", "/=", 2),
          operator("rM", "%=", 2),
          operator("aN", "&=", 2),
          operator("oR", "|=", 2),
          operator("eO", "^=", 2),
          operator("ls", "<<", 2),
          operator("rs", ">>", 2),
          operator("lS", "<<=", 2),
          operator("rS", ">>=", 2),
          operator("eq", "==", 2),
          operator("ne", "!=", 2),
          operator("lt", "<", 2),
          operator("gt", ">", 2),
          operator("le", "<=", 2),
          operator("ge", ">=", 2),
          operator("ss", "<=>", 2),
          operator("nt", "!", 1),
          operator("aa", "&&", 2),
          operator("oo", "||", 2),
          operator("pp", "++", 1),
          operator("mm", "--", 1),
          operator("cm", ",", 2),
          operator("pm", "->*", 2),
          operator("pt", "->", 2),
          operator("dt", ".", 2),
          operator("cl", "()", 2),
          operator("ix", "[]", 2),
          operator("qu", "?", 3),
          operator("aw", "co_await", 1),
          operator("st", "sizeof ", 1),
          operator("sz", "sizeof ", 1),
          operator("at", "alignof ", 1),
          operator("az", "alignof ", 1));

  private static final Map<String, String> SPECIAL =
      Map.ofEntries(
          Map.entry("TV", "vtable for "),
          Map.entry("TT", "VTT for "),
          Map.entry("TI", "typeinfo for "),
          Map.entry("TS", "typeinfo name for "),
          Map.entry("TF", "typeinfo fn for "),
          Map.entry("TH", "TLS init function for "),
          Map.entry("TW", "TLS wrapper function for "),
          Map.entry("Th", "non-virtual thunk to "),
          Map.entry("Tv", "virtual thunk to "),
          Map.entry("Tc", "covariant return thunk to "),
          Map.entry("GV", "guard variable for "),
          Map.entry("GA", "hidden alias for "),
          Map.entry("GTt", "transaction clone for "),
          Map.entry("GTn", "non-transaction clone for "));

  private final String in;
  private final boolean verbose;
  private int at;
  private int depth;
  private final List<DemangledNode> substitutions = new ArrayList<>();
  private List<DemangledNode> templateArguments = new ArrayList<>();
  private final List<Forward> forwards = new ArrayList<>();
  private boolean inConversion;
  private boolean inLambda;

  /** What a name says about the function type after it. */
  private static final class NameState {
    /** Whether types after the name refer to its template arguments. */
    final boolean ofFunction;

    boolean endsWithArguments;
    boolean hasNoReturnType;
    String qualifiers = "";

    NameState(boolean ofFunction) {
      this.ofFunction = ofFunction;
    }
  }

  /**
   * @param verbose whether {@code std::string} is written as the class template that it stands for
   */
  private ItaniumDemangler(String mangled, boolean verbose) {
    this.in = mangled;
    this.verbose = verbose;
  }

  /** Parses a name that begins with {@code _Z}. */
  static DemangledNode parse(String mangled, boolean verbose) {
    ItaniumDemangler parser = new ItaniumDemangler(mangled, verbose);
    parser.expect("_Z");
    return parser.mangledName();
  }

  private static Map.Entry<String, Operator> operator(String code, String text, int operands) {
    return Map.entry(code, new Operator(text, operands));
  }

  // ---- reading -------------------------------------------------------------------------------

  private char peek() {
    return at < in.length() ? in.charAt(at) : 0;
  }

  private char peek(int ahead) {
    return at + ahead < in.length() ? in.charAt(at + ahead) : 0;
  }

  private boolean take(char c) {
    if (peek() == c) {
      at++;
      return true;
    }
    return false;
  }

  private boolean take(String s) {
    if (in.startsWith(s, at)) {
      at += s.length();
      return true;
    }
    return false;
  }

  private void expect(String s) {
    if (!take(s)) {
      throw fail();
    }
  }

  private static UndemangledException fail() {
    return UndemangledException.INSTANCE;
  }

  private void enter() {
    if (++depth > MAX_DEPTH) {
      throw fail();
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isLower(char c) {
    return c >= 'a' && c <= 'z';
  }

  private String digits() {
    int from = at;
    while (isDigit(peek())) {
      at++;
    }
    return in.substring(from, at);
  }

  private int number() {
    String digits = digits();
    if (digits.isEmpty() || digits.length() > 9) {
      throw fail();
    }
    return Integer.parseInt(digits);
  }

  /** An optional number and an underscore: 0 for none, else one more than the number. */
  private int index() {
    int value = 0;
    if (peek() != '_') {
      value = number() + 1;
    }
    expect("_");
    return value;
  }

  private DemangledNode remember(DemangledNode node) {
    substitutions.add(node);
    return node;
  }

  // ---- names ---------------------------------------------------------------------------------

  private DemangledNode mangledName() {
    DemangledNode encoding = encoding();
    List<Object> parts = new ArrayList<>(List.of(encoding));
    while (peek() == '.') {
      parts.add(cloneSuffix());
    }
    if (at != in.length()) {
      throw fail();
    }
    return parts.size() == 1 ? encoding : new Parts(parts.toArray());
  }

  /**
   * Suffixes of functions that GCC has cloned or split, such as {@code .isra.0} or {@code .cold}.
   */
  private DemangledNode cloneSuffix() {
    int from = at++;
    if (isLower(peek()) || peek() == '_') {
      while (isLower(peek()) || peek() == '_') {
        at++;
      }
    } else if (isDigit(peek())) {
      digits();
    } else {
      throw fail();
    }
    while (peek() == '.' && isDigit(peek(1))) {
      at++;
      digits();
    }
    String suffix = " [clone " + in.substring(from, at) + "]";
    return new DemangledNode() {
      @Override
      void left(DemanglerOutput out) {
        if (out.form.isFull()) {
          out.append(suffix);
        }
      }
    };
  }

  private DemangledNode encoding() {
    enter();
    List<DemangledNode> outerArguments = templateArguments;
    templateArguments = new ArrayList<>();
    if ((peek() == 'G' || peek() == 'T') && !isDigit(peek(1)) && peek(1) != '_') {
      DemangledNode special = specialName();
      depth--;
      return special;
    }
    NameState state = new NameState(true);
    DemangledNode name = name(state);
    resolveForwards();
    if (at == in.length() || peek() == 'E' || peek() == '.') {
      templateArguments = outerArguments;
      depth--;
      return name;
    }
    DemangledNode returned = state.endsWithArguments && !state.hasNoReturnType ? type() : null;
    List<DemangledNode> parameters = parameters();
    templateArguments = outerArguments;
    depth--;
    return new Encoding(returned, name, parameters, state.qualifiers);
  }

  private void resolveForwards() {
    for (Forward forward : forwards) {
      if (forward.argument == null) {
        if (forward.index >= templateArguments.size()) {
          throw fail();
        }
        forward.argument = templateArguments.get(forward.index);
      }
    }
  }

  /** Types up to the end of the encoding; a single void is no parameter. */
  private List<DemangledNode> parameters() {
    List<DemangledNode> parameters = new ArrayList<>();
    if (peek() == 'v' && (at + 1 == in.length() || peek(1) == 'E' || peek(1) == '.')) {
      at++;
      return parameters;
    }
    do {
      parameters.add(type());
    } while (at < in.length() && peek() != 'E' && peek() != '.');
    return parameters;
  }

  private DemangledNode specialName() {
    for (int length = 3; length >= 2; length--) {
      if (at + length > in.length()) {
        continue;
      }
      String code = in.substring(at, at + length);
      String text = SPECIAL.get(code);
      if (text == null) {
        continue;
      }
      at += length;
      switch (code) {
        case "Th", "Tv" -> {
          at--;
          callOffset();
          return new Parts(text, encoding());
        }
        case "Tc" -> {
          callOffset();
          callOffset();
          return new Parts(text, encoding());
        }
        case "TV", "TT", "TI", "TS", "TF" -> {
          return new Parts(text, type());
        }
        case "GV", "TH", "TW" -> {
          return new Parts(text, name(new NameState(false)));
        }
        default -> {
          return new Parts(text, encoding());
        }
      }
    }
    if (take("TC")) {
      DemangledNode derived = type();
      index0();
      DemangledNode base = type();
      return new Parts("construction vtable for ", base, "-in-", derived);
    }
    if (take("GR")) {
      DemangledNode name = name(new NameState(false));
      int index = peek() == '_' || isDigit(peek()) || Character.isUpperCase(peek()) ? seqId() : 0;
      return new Parts("reference temporary #" + index + " for ", name);
    }
    throw fail();
  }

  /** Skips a number, perhaps negative, and an underscore. */
  private void index0() {
    take('n');
    digits();
    expect("_");
  }

  private void callOffset() {
    if (take('h')) {
      index0();
    } else {
      expect("v");
      index0();
      index0();
    }
  }

  private DemangledNode name(NameState state) {
    enter();
    DemangledNode name;
    if (peek() == 'N') {
      name = nestedName(state);
    } else if (peek() == 'Z') {
      name = localName(state);
    } else if (peek() == 'S' && peek(1) != 't') {
      name = substitution();
      if (peek() != 'I') {
        throw fail();
      }
      state.endsWithArguments = true;
      name = new Template(name, templateArguments(state.ofFunction));
    } else {
      boolean std = take("St");
      name = unqualifiedName(state, null);
      if (std) {
        name = new Qualified(new Parts("std"), name);
      }
      if (peek() == 'I') {
        remember(name);
        state.endsWithArguments = true;
        name = new Template(name, templateArguments(state.ofFunction));
      }
    }
    depth--;
    return name;
  }

  private DemangledNode nestedName(NameState state) {
    expect("N");
    boolean explicitObject = take('H');
    String qualifiers = explicitObject ? "" : cvQualifiers();
    if (take('R')) {
      qualifiers += " &";
    } else if (take('O')) {
      qualifiers += " &&";
    }
    DemangledNode prefix = null;
    while (!take('E')) {
      state.endsWithArguments = false;
      char c = peek();
      boolean fresh = true;
      if (c == 'S' && peek(1) == 't') {
        at += 2;
        prefix = join(prefix, new Parts("std"));
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
        state.endsWithArguments = true;
        prefix = new Template(prefix, templateArguments(state.ofFunction));
      } else if (c == 'T') {
        prefix = join(prefix, templateParameter());
      } else if (c == 'D' && (peek(1) == 't' || peek(1) == 'T')) {
        prefix = join(prefix, decltype());
      } else if (c == 'M') {
        at++; // a lambda in the initialiser of the member just named
        fresh = false;
      } else {
        prefix = join(prefix, unqualifiedName(state, prefix));
      }
      if (fresh && peek() != 'E') {
        remember(prefix);
      }
    }
    if (prefix == null) {
      throw fail();
    }
    state.qualifiers = qualifiers;
    return prefix;
  }

  private static DemangledNode join(DemangledNode prefix, DemangledNode name) {
    return prefix == null ? name : new Qualified(prefix, name);
  }

  private String cvQualifiers() {
    StringBuilder qualifiers = new StringBuilder();
    // The mangled order is fixed and the reverse of the written one.
    boolean restrict = take('r');
    boolean isVolatile = take('V');
    if (take('K')) {
      qualifiers.append(" const");
    }
    if (isVolatile) {
      qualifiers.append(" volatile");
    }
    return qualifiers.append(restrict ? " restrict" : "").toString();
  }

  private DemangledNode localName(NameState state) {
    expect("Z");
    DemangledNode function = encoding();
    if (function instanceof Encoding encoding) {
      function =
          encoding.withoutReturnType(); // its return type would be taken for the local name's
    }
    expect("E");
    if (take('s')) {
      discriminator();
      return new Qualified(function, new Parts("string literal"));
    }
    if (take('d')) {
      int number = index();
      DemangledNode entity = name(state);
      return new Parts(function, "::{default arg#" + (number + 1) + "}::", entity);
    }
    DemangledNode entity = name(state);
    discriminator();
    return new Qualified(function, entity);
  }

  private void discriminator() {
    if (peek() != '_') {
      return;
    }
    if (peek(1) == '_') {
      at += 2;
      digits();
      expect("_");
    } else if (isDigit(peek(1))) {
      at += 2;
    }
  }

  /**
   * @param scope what the name is a member of, for constructors; may be null
   */
  private DemangledNode unqualifiedName(NameState state, DemangledNode scope) {
    take('F'); // a friend function, named in a class
    char c = peek();
    DemangledNode name;
    if (isDigit(c)) {
      name = sourceName();
    } else if (c == 'L') {
      at++;
      name = unqualifiedName(state, scope);
      discriminator();
    } else if (c == 'U') {
      name = unnamedType();
    } else if (c == 'D' && peek(1) == 'C') {
      at += 2;
      List<DemangledNode> bound = new ArrayList<>();
      while (!take('E')) {
        bound.add(sourceName());
      }
      name = new Parts("[", new Sequence(bound), "]");
    } else if (c == 'C' || c == 'D') {
      name = constructor(state, scope);
    } else if (isLower(c)) {
      name = operatorName(state);
    } else {
      throw fail();
    }
    while (take('B')) {
      name = new Tagged(name, identifier());
    }
    return name;
  }

  private DemangledNode constructor(NameState state, DemangledNode scope) {
    if (scope == null) {
      throw fail();
    }
    boolean destructor = peek() == 'D';
    at++;
    boolean inheriting = !destructor && take('I');
    if (!isDigit(peek())) {
      throw fail();
    }
    at++;
    if (inheriting) {
      type();
    }
    state.hasNoReturnType = true;
    DemangledNode base = scope.baseName();
    return destructor ? new Parts("~", base) : base;
  }

  private String identifier() {
    int length = number();
    if (length == 0 || length > in.length() - at) {
      throw fail();
    }
    String name = in.substring(at, at + length);
    at += length;
    return name;
  }

  private DemangledNode sourceName() {
    String name = identifier();
    boolean anonymous =
        name.startsWith("_GLOBAL_") && name.length() > 9 && "._$".indexOf(name.charAt(8)) >= 0;
    return new Parts(anonymous && name.charAt(9) == 'N' ? "(anonymous namespace)" : name);
  }

  private DemangledNode unnamedType() {
    if (take("Ut")) {
      return new Parts("{unnamed type#" + (index() + 1) + "}");
    }
    expect("Ul");
    boolean outer = inLambda;
    inLambda = true;
    List<DemangledNode> parameters = new ArrayList<>();
    if (!take('v')) {
      while (peek() != 'E') {
        parameters.add(type());
      }
    }
    inLambda = outer;
    expect("E");
    return new Lambda(parameters, Integer.toString(index() + 1));
  }

  private DemangledNode operatorName(NameState state) {
    if (take("cv")) {
      boolean outer = inConversion;
      inConversion = true;
      DemangledNode to = type();
      inConversion = outer;
      state.hasNoReturnType = true;
      return new Parts("operator ", to);
    }
    if (take("li")) {
      return new Parts("operator\"\" ", sourceName());
    }
    if (peek() == 'v' && isDigit(peek(1))) {
      at += 2;
      return new Parts("operator ", sourceName());
    }
    Operator operator = at + 2 <= in.length() ? OPERATORS.get(in.substring(at, at + 2)) : null;
    if (operator == null) {
      throw fail();
    }
    at += 2;
    return new Parts(
        "operator" + (isLower(operator.text().charAt(0)) ? " " : "") + operator.text());
  }

  // ---- substitutions and template arguments -----------------------------------------------------

  /** 0 for an underscore, else one more than the number of base 36 before it. */
  private int seqId() {
    int value = 0;
    if (peek() != '_') {
      while (isDigit(peek()) || (peek() >= 'A' && peek() <= 'Z')) {
        value = value * 36 + Character.digit(in.charAt(at++), 36);
        if (value > in.length()) {
          throw fail();
        }
      }
      value++;
    }
    expect("_");
    return value;
  }

  private DemangledNode substitution() {
    expect("S");
    if (peek() == '_' || isDigit(peek()) || (peek() >= 'A' && peek() <= 'Z')) {
      int index = seqId();
      if (index >= substitutions.size()) {
        throw fail();
      }
      DemangledNode known = substitutions.get(index);
      // A template parameter means the argument of the present template, not of the one before.
      return known instanceof Parameter p && p.index() < templateArguments.size()
          ? parameter(p.index())
          : known;
    }
    char c = peek();
    at++;
    // A constructor needs the template's name, not the short one.
    boolean full = verbose || peek() == 'C' || peek() == 'D';
    DemangledNode standard =
        switch (c) {
          case 'a' -> new Standard("std::allocator", "allocator");
          case 'b' -> new Standard("std::basic_string", "basic_string");
          case 's' -> standard(full, "string");
          case 'i' -> standard(full, "istream");
          case 'o' -> standard(full, "ostream");
          case 'd' -> standard(full, "iostream");
          default -> throw fail();
        };
    DemangledNode tagged = standard;
    while (take('B')) {
      tagged = new Tagged(tagged, identifier());
    }
    return tagged == standard ? standard : remember(tagged);
  }

  private static DemangledNode standard(boolean full, String name) {
    String allocator = name.equals("string") ? ", std::allocator<char>" : "";
    String template = "basic_" + name;
    return new Standard(
        full
            ? "std::" + template + "<char, std::char_traits<char>" + allocator + " >"
            : "std::" + name,
        template);
  }

  /**
   * @param ofName whether they are those of the function's name, which its types refer to
   */
  private List<DemangledNode> templateArguments(boolean ofName) {
    enter();
    expect("I");
    List<DemangledNode> arguments = new ArrayList<>();
    List<DemangledNode> parameters = new ArrayList<>();
    if (ofName) {
      templateArguments = parameters;
    }
    while (!take('E')) {
      if (peek() == 'J' || peek() == 'I') {
        at++;
        List<DemangledNode> pack = new ArrayList<>();
        while (!take('E')) {
          pack.add(templateArgument());
        }
        arguments.add(new Sequence(pack));
        parameters.add(new Pack(pack));
      } else {
        DemangledNode argument = templateArgument();
        arguments.add(argument);
        parameters.add(argument);
      }
    }
    depth--;
    return arguments;
  }

  private DemangledNode templateArgument() {
    if (take('X')) {
      DemangledNode expression = expression();
      expect("E");
      return expression;
    }
    if (peek() == 'L') {
      return literal();
    }
    if (peek() == 'J') {
      at++;
      List<DemangledNode> pack = new ArrayList<>();
      while (!take('E')) {
        pack.add(templateArgument());
      }
      return new Sequence(pack);
    }
    return type();
  }

  private DemangledNode templateParameter() {
    expect("T");
    int index = index();
    if (inLambda) {
      return new Parts("auto:" + (index + 1));
    }
    if (index < templateArguments.size()) {
      return parameter(index);
    }
    if (inConversion) {
      Forward forward = new Forward(index);
      forwards.add(forward);
      return forward;
    }
    throw fail();
  }

  private DemangledNode parameter(int index) {
    return new Parameter(index, templateArguments.get(index));
  }

  // ---- types -----------------------------------------------------------------------------------

  private DemangledNode type() {
    enter();
    DemangledNode type = anyType();
    depth--;
    return type;
  }

  private DemangledNode anyType() {
    char c = peek();
    switch (c) {
      case 'r', 'V', 'K' -> {
        return qualifiedType();
      }
      case 'P' -> {
        at++;
        return remember(new Pointer(type(), null, "*"));
      }
      case 'R' -> {
        at++;
        return remember(new Pointer(type(), null, "&"));
      }
      case 'O' -> {
        at++;
        return remember(new Pointer(type(), null, "&&"));
      }
      case 'C' -> {
        at++;
        return remember(new Suffixed(type(), " _Complex"));
      }
      case 'G' -> {
        at++;
        return remember(new Suffixed(type(), " _Imaginary"));
      }
      case 'F' -> {
        return remember(functionType("", null));
      }
      case 'A' -> {
        return remember(arrayType());
      }
      case 'M' -> {
        at++;
        DemangledNode ofClass = type();
        DemangledNode member = type();
        return remember(new Pointer(member, ofClass, "*"));
      }
      case 'T' -> {
        if (peek(1) == 's' || peek(1) == 'u' || peek(1) == 'e') {
          at += 2;
          return remember(name(new NameState(false)));
        }
        DemangledNode parameter = templateParameter();
        remember(parameter);
        return peek() == 'I' && !inConversion
            ? remember(new Template(parameter, templateArguments(false)))
            : parameter;
      }
      case 'S' -> {
        if (peek(1) != 't') {
          DemangledNode known = substitution();
          return peek() == 'I' ? remember(new Template(known, templateArguments(false))) : known;
        }
        return remember(className());
      }
      case 'D' -> {
        return dType();
      }
      case 'U' -> {
        if (peek(1) == 'l' || peek(1) == 't') {
          return className();
        }
        at++;
        String qualifier = identifier();
        List<DemangledNode> arguments = peek() == 'I' ? templateArguments(false) : null;
        DemangledNode type = type();
        return remember(
            arguments == null
                ? new Suffixed(type, " " + qualifier)
                : new Parts(type, " ", new Template(new Parts(qualifier), arguments)));
      }
      case 'u' -> {
        at++;
        DemangledNode vendor = sourceName();
        return remember(peek() == 'I' ? new Template(vendor, templateArguments(false)) : vendor);
      }
      default -> {
        String builtin = BUILTIN.get(c);
        if (builtin != null) {
          at++;
          return new Parts(builtin);
        }
        if (isDigit(c) || c == 'N' || c == 'Z') {
          return remember(className());
        }
        throw fail();
      }
    }
  }

  /** A class or enumeration, whose template arguments are not the function's. */
  private DemangledNode className() {
    return name(new NameState(false));
  }

  private DemangledNode qualifiedType() {
    String qualifiers = cvQualifiers();
    if (peek() == 'F' || (peek() == 'D' && "oOwx".indexOf(peek(1)) >= 0 && peek(1) != 0)) {
      return remember(peek() == 'F' ? functionType(qualifiers, null) : exceptionType(qualifiers));
    }
    return remember(new Suffixed(type(), qualifiers));
  }

  private DemangledNode functionType(String qualifiers, DemangledNode exceptions) {
    expect("F");
    take('Y'); // extern "C"
    DemangledNode returned = type();
    List<DemangledNode> parameters = new ArrayList<>();
    String reference = "";
    while (!take('E')) {
      if (peek() == 'v' && peek(1) == 'E') {
        at++;
      } else if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') {
        reference = take('R') ? " &" : " &&";
        if (reference.equals(" &&")) {
          at++;
        }
      } else {
        parameters.add(type());
      }
    }
    return new Function(returned, parameters, qualifiers + reference, exceptions);
  }

  /** Function types with an exception specification. */
  private DemangledNode exceptionType(String qualifiers) {
    if (take("Do")) {
      return functionType(qualifiers, new Parts(" noexcept"));
    }
    if (take("DO")) {
      DemangledNode condition = expression();
      expect("E");
      return functionType(qualifiers, new Parts(" noexcept(", condition, ")"));
    }
    if (take("Dx")) {
      return functionType(qualifiers, new Parts(" transaction_safe"));
    }
    expect("Dw");
    List<DemangledNode> types = new ArrayList<>();
    while (!take('E')) {
      types.add(type());
    }
    return functionType(qualifiers, new Parts(" throw(", new Sequence(types), ")"));
  }

  private DemangledNode dType() {
    char c = peek(1);
    String builtin = BUILTIN_D.get(c);
    if (builtin != null) {
      at += 2;
      return new Parts(builtin);
    }
    switch (c) {
      case 'p' -> {
        at += 2;
        return remember(new Expansion(type()));
      }
      case 't', 'T' -> {
        return remember(decltype());
      }
      case 'o', 'O', 'w', 'x' -> {
        return remember(exceptionType(""));
      }
      case 'v' -> {
        at += 2;
        DemangledNode size = isDigit(peek()) ? new Parts(digits()) : vectorSize();
        expect("_");
        return remember(new Parts(type(), " __vector(", size, ")"));
      }
      case 'F' -> {
        at += 2;
        String bits = digits();
        if (take('b')) {
          return new Parts("std::bfloat" + bits + "_t");
        }
        boolean extended = take('x');
        if (!extended) {
          expect("_");
        }
        return new Parts("_Float" + bits + (extended ? "x" : ""));
      }
      case 'B', 'U' -> {
        at += 2;
        DemangledNode bits = isDigit(peek()) ? new Parts(digits()) : expression();
        expect("_");
        return new Parts(c == 'B' ? "signed _BitInt(" : "unsigned _BitInt(", bits, ")");
      }
      default -> throw fail();
    }
  }

  private DemangledNode vectorSize() {
    expect("_");
    return expression();
  }

  private DemangledNode decltype() {
    at += 2;
    DemangledNode expression = expression();
    expect("E");
    return new Parts("decltype (", expression, ")");
  }

  private DemangledNode arrayType() {
    expect("A");
    DemangledNode dimension = new Parts("");
    if (isDigit(peek())) {
      dimension = new Parts(digits());
    } else if (peek() != '_') {
      dimension = expression();
    }
    expect("_");
    return new Array(type(), dimension);
  }

  // ---- expressions
  // -------------------------------------------------------------------------------

  private DemangledNode expression() {
    enter();
    DemangledNode expression = anyExpression();
    depth--;
    return expression;
  }

  /** An operand: in parentheses unless it is a plain name. */
  private DemangledNode operand() {
    boolean plain = isDigit(peek()) || peek() == 'f' && (peek(1) == 'p' || peek(1) == 'L');
    plain |= in.startsWith("on", at) || in.startsWith("sr", at);
    DemangledNode expression = expression();
    return plain ? expression : new Parts("(", expression, ")");
  }

  private DemangledNode anyExpression() {
    char c = peek();
    if (c == 'L') {
      return literal();
    }
    if (c == 'T') {
      return templateParameter();
    }
    if (isDigit(c)) {
      return simpleName();
    }
    if (take("fpT")) {
      return new Parts("this");
    }
    if (c == 'f' && (peek(1) == 'p' || (peek(1) == 'L' && isDigit(peek(2))))) {
      at += 2;
      if (isDigit(peek()) && in.charAt(at - 1) == 'L') {
        digits();
        expect("p");
      }
      cvQualifiers();
      return new Parts("{parm#" + (index() + 1) + "}");
    }
    if (c == 'f' && "lrLR".indexOf(peek(1)) >= 0 && peek(1) != 0) {
      return fold();
    }
    if (at + 2 > in.length()) {
      throw fail();
    }
    String code = in.substring(at, at + 2);
    switch (code) {
      case "on" -> {
        at += 2;
        DemangledNode name = operatorName(new NameState(false));
        return peek() == 'I' ? new Template(name, templateArguments(false)) : name;
      }
      case "gs" -> {
        at += 2;
        return new Parts("::", expression());
      }
      case "sr" -> {
        return unresolvedName();
      }
      case "dn" -> {
        at += 2;
        return new Parts("~", isDigit(peek()) ? simpleName() : type());
      }
      case "cl" -> {
        at += 2;
        DemangledNode called = operand();
        return new Parts(called, "(", new Sequence(expressionsToE()), ")");
      }
      case "cv" -> {
        at += 2;
        DemangledNode to = type();
        if (take('_')) {
          return new Parts("(", to, ")(", new Sequence(expressionsToE()), ")");
        }
        return new Parts("(", to, ")", operand());
      }
      case "tl" -> {
        at += 2;
        DemangledNode of = type();
        return new Parts(of, "{", new Sequence(expressionsToE()), "}");
      }
      case "il" -> {
        at += 2;
        return new Parts("{", new Sequence(expressionsToE()), "}");
      }
      case "dc", "sc", "cc", "rc" -> {
        at += 2;
        String cast =
            switch (c) {
              case 'd' -> "dynamic_cast<";
              case 's' -> "static_cast<";
              case 'c' -> "const_cast<";
              default -> "reinterpret_cast<";
            };
        DemangledNode to = type();
        return new Parts(cast, to, ">(", expression(), ")");
      }
      case "st", "at" -> {
        at += 2;
        return new Parts(OPERATORS.get(code).text(), "(", type(), ")");
      }
      case "ti" -> {
        at += 2;
        return new Parts("typeid (", type(), ")");
      }
      case "te" -> {
        at += 2;
        return new Parts("typeid (", expression(), ")");
      }
      case "nx" -> {
        at += 2;
        return new Parts("noexcept (", expression(), ")");
      }
      case "tw" -> {
        at += 2;
        return new Parts("throw ", expression());
      }
      case "tr" -> {
        at += 2;
        return new Parts("throw");
      }
      case "sp" -> {
        at += 2;
        return new Expansion(expression());
      }
      case "sZ" -> {
        at += 2;
        DemangledNode of = expression();
        return of instanceof Parameter p && p.argument() instanceof Pack pack
            ? new Parts(Integer.toString(pack.size()))
            : new Parts("sizeof...(", of, ")");
      }
      case "dt", "pt" -> {
        at += 2;
        DemangledNode object = operand();
        return new Parts(object, c == 'd' ? "." : "->", memberName());
      }
      default -> {
        return operation(code);
      }
    }
  }

  private DemangledNode operation(String code) {
    Operator operator = OPERATORS.get(code);
    if (operator == null || code.equals("nw") || code.equals("na")) {
      throw fail();
    }
    at += 2;
    if (code.equals("ad") && peek() == 'L') {
      DemangledNode object = literal();
      return object instanceof Encoding function && function.name() instanceof Qualified
          ? new Parts("&", function.name())
          : new Parts("&(", object, ")");
    }
    if (operator.operands() == 1) {
      if ((code.equals("pp") || code.equals("mm")) && !take('_')) {
        return new Parts(operand(), operator.text());
      }
      return new Parts(operator.text(), operand());
    }
    if (operator.operands() == 3) {
      return new Parts(operand(), "?", operand(), " : ", operand());
    }
    DemangledNode first = operand();
    if (code.equals("ix")) {
      return new Parts(first, "[", expression(), "]");
    }
    DemangledNode second = operand();
    return code.equals("gt")
        ? new Parts("(", first, operator.text(), second, ")") // the argument list does not end here
        : new Parts(first, operator.text(), second);
  }

  private DemangledNode fold() {
    char kind = peek(1);
    at += 2;
    Operator operator = at + 2 <= in.length() ? OPERATORS.get(in.substring(at, at + 2)) : null;
    if (operator == null) {
      throw fail();
    }
    at += 2;
    DemangledNode first = operand();
    return switch (kind) {
      case 'l' -> new Parts("(...", operator.text(), first, ")");
      case 'r' -> new Parts("(", first, operator.text(), "...)");
      default -> new Parts("(", first, operator.text(), "...", operator.text(), operand(), ")");
    };
  }

  private List<DemangledNode> expressionsToE() {
    List<DemangledNode> expressions = new ArrayList<>();
    while (!take('E')) {
      expressions.add(expression());
    }
    return expressions;
  }

  private DemangledNode simpleName() {
    DemangledNode name = sourceName();
    return peek() == 'I' ? new Template(name, templateArguments(false)) : name;
  }

  private DemangledNode memberName() {
    return isDigit(peek()) ? simpleName() : expression();
  }

  private DemangledNode unresolvedName() {
    expect("sr");
    DemangledNode scope;
    if (take('N')) {
      scope = type();
      while (!take('E')) {
        scope = new Qualified(scope, simpleName());
      }
    } else if (isDigit(peek())) {
      scope = simpleName();
      while (isDigit(peek())) {
        scope = new Qualified(scope, simpleName());
      }
      expect("E");
    } else {
      scope = type();
    }
    if (take("on")) {
      scope = new Qualified(scope, operatorName(new NameState(false)));
      return peek() == 'I' ? new Template(scope, templateArguments(false)) : scope;
    }
    return new Qualified(scope, take("dn") ? new Parts("~", simpleName()) : simpleName());
  }

  private DemangledNode literal() {
    expect("L");
    if (take("_Z") || take("Z")) {
      DemangledNode encoding = encoding();
      expect("E");
      return encoding;
    }
    char code = peek();
    boolean nullPointer = in.startsWith("Dn", at);
    DemangledNode type = type();
    if (take('E')) {
      return nullPointer ? new Parts("nullptr") : new Parts("(", type, ")");
    }
    int from = at;
    boolean negative = take('n');
    while (peek() != 'E') {
      if (at == in.length()) {
        throw fail();
      }
      at++;
    }
    String value = (negative ? "-" : "") + in.substring(negative ? from + 1 : from, at);
    at++;
    if (code == 'b' && (value.equals("0") || value.equals("1"))) {
      return new Parts(value.equals("1") ? "true" : "false");
    }
    String suffix = LITERAL_SUFFIX.get(code);
    if (suffix != null) {
      return new Parts(value + suffix);
    }
    boolean real = code == 'f' || code == 'd' || code == 'e' || code == 'g';
    return new Parts("(", type, ")" + (real ? "[" + value + "]" : value));
  }
}
