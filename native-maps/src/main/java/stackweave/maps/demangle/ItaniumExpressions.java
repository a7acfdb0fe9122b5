package stackweave.maps.demangle;

/**
 * The productions of expressions and literals (Itanium C++ ABI, section 5.1.6), with the numbers
 * and texts that all productions use. {@link ItaniumDemangler} has those of names and types.
 */
abstract class ItaniumExpressions extends MangledText {
  /** Limits all texts together: back-references can make one grow exponentially. */
  private static final int MAX_BUILT = 1 << 20;

  private static final String HIDDEN = "...";

  /** Which parentheses a pointer to a type needs. */
  enum Kind {
    PLAIN,
    FUNCTION,
    ARRAY
  }

  /**
   * A name or a type. A C++ type surrounds the name that it declares ({@code int (*name)[3]}).
   *
   * @param left of that name; all of it in a part that is no such type
   * @param right of that name
   * @param base the name that constructors of this class have
   */
  record Part(String left, String right, Kind kind, String base) {
    Part(String text, String base) {
      this(text, "", Kind.PLAIN, base);
    }

    Part(String text) {
      this(text, text);
    }
  }

  private int built;

  ItaniumExpressions(String mangled) {
    super(mangled);
  }

  /**
   * A function or variable.
   *
   * @param isPart whether more of the name follows behind it and an E
   */
  abstract Part encoding(boolean isPart);

  abstract Part type();

  abstract Part templateParameter();

  /** A source name with its template arguments, if they follow. */
  abstract Part simpleName();

  abstract Part operatorName();

  abstract Part withArguments(Part name);

  final String join(String... parts) {
    String all = String.join("", parts);
    built += all.length();
    if (built > MAX_BUILT) {
      throw fail();
    }
    return all;
  }

  final String text(Part part) {
    return join(part.left, part.right);
  }

  private int number() {
    String digits = digits();
    if (digits.isEmpty() || digits.length() > 9) {
      throw fail();
    }
    return Integer.parseInt(digits);
  }

  /** An optional number and an underscore: 0 for none, else one more than the number. */
  final int index() {
    int value = peek() == '_' ? 0 : number() + 1;
    expect("_");
    return value;
  }

  final String identifier() {
    int length = number();
    if (length == 0) {
      throw fail();
    }
    return text(length);
  }

  /** The mangled order is fixed and the reverse of the written one. */
  final String cvQualifiers() {
    String restrict = take('r') ? " restrict" : "";
    String isVolatile = take('V') ? " volatile" : "";
    return (take('K') ? " const" : "") + isVolatile + restrict;
  }

  final String expressionToE() {
    String expression = expression();
    expect("E");
    return expression;
  }

  final String expression() {
    enter();
    String expression = anyExpression();
    leave();
    return expression;
  }

  private String anyExpression() {
    if (peek() == 'L') {
      return literal();
    }
    if (peek() == 'T') {
      return text(templateParameter());
    }
    if (isDigit(peek())) {
      return text(simpleName());
    }
    if (in.startsWith("adL", at)) {
      at += 2;
      return join("&", literal());
    }
    if (!take("fpT") && !functionParameter()) {
      String code = text(2);
      boolean binary = ItaniumTables.OPERATOR.containsKey(code);
      String operands = ItaniumTables.OPERANDS.getOrDefault(code, binary ? "ee" : null);
      if (operands == null) {
        throw fail();
      }
      operands.chars().forEach(this::operand);
    }
    return HIDDEN;
  }

  private boolean functionParameter() {
    if (take("fL")) {
      digits();
      expect("p");
    } else if (!take("fp")) {
      return false;
    }
    cvQualifiers();
    index();
    return true;
  }

  /** Parses what {@link ItaniumTables#OPERANDS} has a letter for. */
  private void operand(int kind) {
    switch (kind) {
      case 't' -> type();
      case 'E' -> expressionsToE();
      case 'c' -> {
        if (take('_')) {
          expressionsToE();
        } else {
          expression();
        }
      }
      case 'o' -> withArguments(operatorName());
      case 's' -> unresolvedName();
      case 'd' -> destructorName();
      default -> {
        if (kind == 'p') {
          take('_');
        }
        expression();
      }
    }
  }

  private void expressionsToE() {
    while (!take('E')) {
      expression();
    }
  }

  private void destructorName() {
    if (isDigit(peek())) {
      simpleName();
    } else {
      type();
    }
  }

  /** Behind {@code sr}. */
  private void unresolvedName() {
    if (take('N')) {
      type();
      while (!take('E')) {
        simpleName();
      }
    } else if (isDigit(peek())) {
      while (!take('E')) {
        simpleName();
      }
    } else {
      type();
    }
    if (take("on")) {
      withArguments(operatorName());
    } else {
      take("dn");
      simpleName();
    }
  }

  final String literal() {
    expect("L");
    if (take("_Z") || take("Z")) {
      String name = text(encoding(true));
      expect("E");
      return name;
    }
    char code = peek();
    boolean nullPointer = in.startsWith("Dn", at);
    String type = text(type());
    if (take('E')) {
      return nullPointer ? "nullptr" : "(" + type + ")";
    }
    String sign = take('n') ? "-" : "";
    int end = in.indexOf('E', at);
    String value = sign + text(end < 0 ? Integer.MAX_VALUE : end - at);
    expect("E");
    if (code == 'b' && (value.equals("0") || value.equals("1"))) {
      return value.equals("1") ? "true" : "false";
    }
    String suffix = ItaniumTables.LITERAL_SUFFIX.get(code);
    if (suffix != null) {
      return value + suffix;
    }
    boolean real = code == 'f' || code == 'd' || code == 'e' || code == 'g';
    return join("(", type, ")", real ? "[" + value + "]" : value);
  }
}
