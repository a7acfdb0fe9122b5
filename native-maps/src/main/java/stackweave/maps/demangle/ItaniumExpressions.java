package stackweave.maps.demangle;

import java.util.ArrayList;
import java.util.List;
import stackweave.maps.demangle.DemangledNode.Encoding;
import stackweave.maps.demangle.DemangledNode.Expansion;
import stackweave.maps.demangle.DemangledNode.Pack;
import stackweave.maps.demangle.DemangledNode.Parameter;
import stackweave.maps.demangle.DemangledNode.Parts;
import stackweave.maps.demangle.DemangledNode.Qualified;
import stackweave.maps.demangle.DemangledNode.Sequence;
import stackweave.maps.demangle.DemangledNode.Template;

/**
 * The productions of expressions and literals (Itanium C++ ABI, section 5.1.6), which stand in
 * template arguments and in {@code decltype}. {@link ItaniumDemangler} has those of names and
 * types.
 */
abstract class ItaniumExpressions extends MangledText {
  ItaniumExpressions(String mangled) {
    super(mangled);
  }

  abstract DemangledNode encoding();

  abstract DemangledNode type();

  abstract DemangledNode sourceName();

  abstract DemangledNode operatorName(ItaniumTypes.NameState state);

  abstract DemangledNode templateParameter();

  abstract List<DemangledNode> templateArguments(boolean ofName);

  abstract String cvQualifiers();

  abstract int index();

  final DemangledNode expression() {
    enter();
    DemangledNode expression = anyExpression();
    leave();
    return expression;
  }

  /** The name with its template arguments, if they follow. */
  final DemangledNode withArguments(DemangledNode name) {
    return peek() == 'I' ? new Template(name, templateArguments(false)) : name;
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
      return functionParameter();
    }
    String code = text(2);
    return switch (code) {
      case "fl", "fr", "fL", "fR" -> fold(code.charAt(1));
      case "on" -> withArguments(operatorName(new ItaniumTypes.NameState(false)));
      case "gs" -> new Parts("::", expression());
      case "sr" -> unresolvedName();
      case "dn" -> new Parts("~", isDigit(peek()) ? simpleName() : type());
      case "cl" -> new Parts(operand(), "(", expressionsToE(), ")");
      case "cv" -> conversion(type());
      case "tl" -> new Parts(type(), "{", expressionsToE(), "}");
      case "il" -> new Parts("{", expressionsToE(), "}");
      case "dc" -> new Parts("dynamic_cast<", type(), ">(", expression(), ")");
      case "sc" -> new Parts("static_cast<", type(), ">(", expression(), ")");
      case "cc" -> new Parts("const_cast<", type(), ">(", expression(), ")");
      case "rc" -> new Parts("reinterpret_cast<", type(), ">(", expression(), ")");
      case "st", "at" -> new Parts(ItaniumTables.operator(code), "(", type(), ")");
      case "ti" -> new Parts("typeid (", type(), ")");
      case "te" -> new Parts("typeid (", expression(), ")");
      case "nx" -> new Parts("noexcept (", expression(), ")");
      case "tw" -> new Parts("throw ", expression());
      case "tr" -> new Parts("throw");
      case "sp" -> new Expansion(expression());
      case "sZ" -> sizeOfPack(expression());
      case "dt" -> new Parts(operand(), ".", memberName());
      case "pt" -> new Parts(operand(), "->", memberName());
      default -> operation(code);
    };
  }

  private DemangledNode functionParameter() {
    at += 2;
    if (isDigit(peek()) && in.charAt(at - 1) == 'L') {
      digits();
      expect("p");
    }
    cvQualifiers();
    return new Parts("{parm#" + (index() + 1) + "}");
  }

  private DemangledNode conversion(DemangledNode to) {
    return take('_')
        ? new Parts("(", to, ")(", expressionsToE(), ")")
        : new Parts("(", to, ")", operand());
  }

  private static DemangledNode sizeOfPack(DemangledNode of) {
    return of instanceof Parameter p && !p.forward && p.argument instanceof Pack pack
        ? new Parts(Integer.toString(pack.elements().size()))
        : new Parts("sizeof...(", of, ")");
  }

  private DemangledNode operation(String code) {
    if (code.equals("ad") && peek() == 'L') {
      DemangledNode object = literal();
      return object instanceof Encoding function && function.name() instanceof Qualified
          ? new Parts("&", function.name())
          : new Parts("&(", object, ")");
    }
    String unary = ItaniumTables.UNARY.get(code);
    if (unary != null) {
      boolean postfix = (code.equals("pp") || code.equals("mm")) && !take('_');
      return postfix ? new Parts(operand(), unary) : new Parts(unary, operand());
    }
    if (code.equals("qu")) {
      return new Parts(operand(), "?", operand(), " : ", operand());
    }
    String binary = ItaniumTables.BINARY.get(code);
    if (binary == null) {
      throw fail();
    }
    DemangledNode first = operand();
    return switch (code) {
      case "ix" -> new Parts(first, "[", expression(), "]");
      // in parentheses: the argument list does not end here
      case "gt" -> new Parts("(", first, binary, operand(), ")");
      default -> new Parts(first, binary, operand());
    };
  }

  private DemangledNode fold(char kind) {
    String operator = ItaniumTables.operator(text(2));
    if (operator == null) {
      throw fail();
    }
    DemangledNode first = operand();
    return switch (kind) {
      case 'l' -> new Parts("(...", operator, first, ")");
      case 'r' -> new Parts("(", first, operator, "...)");
      default -> new Parts("(", first, operator, "...", operator, operand(), ")");
    };
  }

  private DemangledNode expressionsToE() {
    List<DemangledNode> expressions = new ArrayList<>();
    while (!take('E')) {
      expressions.add(expression());
    }
    return new Sequence(expressions);
  }

  final DemangledNode simpleName() {
    return withArguments(sourceName());
  }

  private DemangledNode memberName() {
    return isDigit(peek()) ? simpleName() : expression();
  }

  /** Behind {@code sr}. */
  private DemangledNode unresolvedName() {
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
      return withArguments(new Qualified(scope, operatorName(new ItaniumTypes.NameState(false))));
    }
    return new Qualified(scope, take("dn") ? new Parts("~", simpleName()) : simpleName());
  }

  final DemangledNode literal() {
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
    String sign = take('n') ? "-" : "";
    int end = in.indexOf('E', at);
    String value = sign + text(end < 0 ? Integer.MAX_VALUE : end - at);
    expect("E");
    if (code == 'b' && (value.equals("0") || value.equals("1"))) {
      return new Parts(value.equals("1") ? "true" : "false");
    }
    String suffix = ItaniumTables.LITERAL_SUFFIX.get(code);
    if (suffix != null) {
      return new Parts(value + suffix);
    }
    boolean real = code == 'f' || code == 'd' || code == 'e' || code == 'g';
    return new Parts("(", type, ")" + (real ? "[" + value + "]" : value));
  }
}
