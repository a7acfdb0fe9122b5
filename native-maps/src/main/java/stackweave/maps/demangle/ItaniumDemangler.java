package stackweave.maps.demangle;

import java.util.ArrayList;
import java.util.List;
import stackweave.maps.demangle.DemangledNode.Encoding;
import stackweave.maps.demangle.DemangledNode.Lambda;
import stackweave.maps.demangle.DemangledNode.Pack;
import stackweave.maps.demangle.DemangledNode.Parameter;
import stackweave.maps.demangle.DemangledNode.Parts;
import stackweave.maps.demangle.DemangledNode.Qualified;
import stackweave.maps.demangle.DemangledNode.Sequence;
import stackweave.maps.demangle.DemangledNode.Standard;
import stackweave.maps.demangle.DemangledNode.Tagged;
import stackweave.maps.demangle.DemangledNode.Template;

/**
 * Parses C++ names as GCC and Clang mangle them; one instance per name.
 *
 * <p>Source: Itanium C++ ABI, section 5.1 "External Names (a.k.a. Mangling)", whose productions the
 * methods are named after. What is not understood ends in {@link UndemangledException}.
 */
final class ItaniumDemangler extends ItaniumTypes {
  private final boolean verbose;
  private List<DemangledNode> templateArguments = new ArrayList<>();
  private final List<Parameter> forwards = new ArrayList<>();
  private boolean inLambda;

  /**
   * @param verbose whether {@code std::string} is written as the class template that it stands for
   */
  private ItaniumDemangler(String mangled, boolean verbose) {
    super(mangled);
    this.verbose = verbose;
  }

  /** Parses a name that begins with {@code _Z}. */
  static DemangledNode parse(String mangled, boolean verbose) {
    ItaniumDemangler parser = new ItaniumDemangler(mangled, verbose);
    parser.expect("_Z");
    return parser.mangledName();
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
    return out -> {
      if (out.form.isFull()) {
        out.append(suffix);
      }
    };
  }

  @Override
  DemangledNode encoding() {
    enter();
    List<DemangledNode> outerArguments = templateArguments;
    templateArguments = new ArrayList<>();
    if ((peek() == 'G' || peek() == 'T') && !isDigit(peek(1)) && peek(1) != '_') {
      DemangledNode special = specialName();
      leave();
      return special;
    }
    NameState state = new NameState(true);
    DemangledNode name = name(state);
    resolveForwards();
    if (at == in.length() || peek() == 'E' || peek() == '.') {
      templateArguments = outerArguments;
      leave();
      return name;
    }
    DemangledNode returned = state.endsWithArguments && !state.hasNoReturnType ? type() : null;
    List<DemangledNode> parameters = parameters();
    templateArguments = outerArguments;
    leave();
    return new Encoding(returned, name, parameters, state.qualifiers);
  }

  private void resolveForwards() {
    for (Parameter forward : forwards) {
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
    if (take("TC")) {
      DemangledNode derived = type();
      index0();
      return new Parts("construction vtable for ", type(), "-in-", derived);
    }
    if (take("GR")) {
      DemangledNode name = className();
      int index = peek() == '_' || isDigit(peek()) || Character.isUpperCase(peek()) ? seqId() : 0;
      return new Parts("reference temporary #" + index + " for ", name);
    }
    String code = in.startsWith("GT", at) ? text(3) : text(2);
    String text = ItaniumTables.SPECIAL.get(code);
    if (text == null) {
      throw fail();
    }
    return switch (code) {
      case "TV", "TT", "TI", "TS", "TF" -> new Parts(text, type());
      case "GV", "TH", "TW" -> new Parts(text, className());
      default -> {
        if (code.equals("Th") || code.equals("Tv")) {
          at--; // the letter is one of the offset, too
          callOffset();
        } else if (code.equals("Tc")) {
          callOffset();
          callOffset();
        }
        yield new Parts(text, encoding());
      }
    };
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

  @Override
  DemangledNode name(NameState state) {
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
    leave();
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

  @Override
  DemangledNode sourceName() {
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
    while (!take('v') && peek() != 'E') {
      parameters.add(type());
    }
    inLambda = outer;
    expect("E");
    return new Lambda(parameters, Integer.toString(index() + 1));
  }

  @Override
  DemangledNode operatorName(NameState state) {
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
    String operator = ItaniumTables.operator(text(2));
    if (operator == null) {
      throw fail();
    }
    return new Parts("operator" + (isLower(operator.charAt(0)) ? " " : "") + operator);
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

  @Override
  DemangledNode substitution() {
    expect("S");
    if (peek() == '_' || isDigit(peek()) || (peek() >= 'A' && peek() <= 'Z')) {
      int index = seqId();
      if (index >= substitutions.size()) {
        throw fail();
      }
      DemangledNode known = substitutions.get(index);
      // A template parameter means the argument of the present template, not of the one before.
      return known instanceof Parameter p && !p.forward && p.index < templateArguments.size()
          ? parameter(p.index)
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
  @Override
  List<DemangledNode> templateArguments(boolean ofName) {
    enter();
    expect("I");
    List<DemangledNode> arguments = new ArrayList<>();
    List<DemangledNode> parameters = new ArrayList<>();
    if (ofName) {
      templateArguments = parameters;
    }
    while (!take('E')) {
      if (take('J') || take('I')) {
        List<DemangledNode> pack = pack();
        arguments.add(new Sequence(pack));
        parameters.add(new Pack(pack));
      } else {
        DemangledNode argument = templateArgument();
        arguments.add(argument);
        parameters.add(argument);
      }
    }
    leave();
    return arguments;
  }

  private List<DemangledNode> pack() {
    List<DemangledNode> pack = new ArrayList<>();
    while (!take('E')) {
      pack.add(templateArgument());
    }
    return pack;
  }

  private DemangledNode templateArgument() {
    if (take('X')) {
      return expressionToE();
    }
    if (peek() == 'L') {
      return literal();
    }
    return take('J') ? new Sequence(pack()) : type();
  }

  @Override
  DemangledNode templateParameter() {
    expect("T");
    int index = index();
    if (inLambda) {
      return new Parts("auto:" + (index + 1));
    }
    if (index < templateArguments.size()) {
      return parameter(index);
    }
    if (inConversion) {
      Parameter forward = new Parameter(index, null);
      forwards.add(forward);
      return forward;
    }
    throw fail();
  }

  private DemangledNode parameter(int index) {
    return new Parameter(index, templateArguments.get(index));
  }
}
