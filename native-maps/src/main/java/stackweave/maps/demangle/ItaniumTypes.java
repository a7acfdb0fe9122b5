package stackweave.maps.demangle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import stackweave.maps.demangle.DemangledNode.Array;
import stackweave.maps.demangle.DemangledNode.Expansion;
import stackweave.maps.demangle.DemangledNode.FunctionType;
import stackweave.maps.demangle.DemangledNode.Parts;
import stackweave.maps.demangle.DemangledNode.Pointer;
import stackweave.maps.demangle.DemangledNode.Sequence;
import stackweave.maps.demangle.DemangledNode.Suffixed;
import stackweave.maps.demangle.DemangledNode.Template;

/**
 * The productions of types (Itanium C++ ABI, section 5.1.5), with the numbers and qualifiers that
 * they are made of, and the list of what a substitution can stand for.
 */
abstract class ItaniumTypes extends ItaniumExpressions {
  final List<DemangledNode> substitutions = new ArrayList<>();

  /** Whether the type is that of a conversion operator, named before its template arguments. */
  boolean inConversion;

  /** What a name says about the function type after it. */
  static final class NameState {
    /** Whether types after the name refer to its template arguments. */
    final boolean ofFunction;

    boolean endsWithArguments;
    boolean hasNoReturnType;
    String qualifiers = "";

    NameState(boolean ofFunction) {
      this.ofFunction = ofFunction;
    }
  }

  ItaniumTypes(String mangled) {
    super(mangled);
  }

  abstract DemangledNode name(NameState state);

  abstract DemangledNode substitution();

  final DemangledNode remember(DemangledNode node) {
    substitutions.add(node);
    return node;
  }

  final int number() {
    String digits = digits();
    if (digits.isEmpty() || digits.length() > 9) {
      throw fail();
    }
    return Integer.parseInt(digits);
  }

  /** An optional number and an underscore: 0 for none, else one more than the number. */
  @Override
  int index() {
    int value = 0;
    if (peek() != '_') {
      value = number() + 1;
    }
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

  @Override
  String cvQualifiers() {
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

  @Override
  DemangledNode type() {
    enter();
    DemangledNode type = anyType();
    leave();
    return type;
  }

  private DemangledNode anyType() {
    char c = peek();
    if (isDigit(c) || c == 'N' || c == 'Z') {
      return remember(className());
    }
    at++;
    return switch (c) {
      case 'r', 'V', 'K' -> {
        at--;
        yield qualifiedType();
      }
      case 'P' -> remember(new Pointer(type(), null, "*"));
      case 'R' -> remember(new Pointer(type(), null, "&"));
      case 'O' -> remember(new Pointer(type(), null, "&&"));
      case 'C' -> remember(new Suffixed(type(), " _Complex"));
      case 'G' -> remember(new Suffixed(type(), " _Imaginary"));
      case 'F' -> remember(functionType("", null));
      case 'A' -> remember(arrayType());
      case 'M' -> {
        DemangledNode ofClass = type();
        yield remember(new Pointer(type(), ofClass, "*"));
      }
      case 'T' -> {
        if (take('s') || take('u') || take('e')) {
          yield remember(className());
        }
        at--;
        DemangledNode parameter = remember(templateParameter());
        yield peek() == 'I' && !inConversion ? remember(withArguments(parameter)) : parameter;
      }
      case 'S' -> {
        at--;
        if (peek(1) == 't') {
          yield remember(className());
        }
        DemangledNode known = substitution();
        yield peek() == 'I' ? remember(withArguments(known)) : known;
      }
      case 'D' -> dType();
      case 'U' -> {
        if (peek() == 'l' || peek() == 't') {
          at--;
          yield className();
        }
        String qualifier = identifier();
        List<DemangledNode> arguments = peek() == 'I' ? templateArguments(false) : null;
        DemangledNode type = type();
        yield remember(
            arguments == null
                ? new Suffixed(type, " " + qualifier)
                : new Parts(type, " ", new Template(new Parts(qualifier), arguments)));
      }
      case 'u' -> remember(simpleName());
      default -> builtin(ItaniumTables.BUILTIN, c);
    };
  }

  private static DemangledNode builtin(Map<String, String> types, char c) {
    String name = types.get(String.valueOf(c));
    if (name == null) {
      throw fail();
    }
    return new Parts(name);
  }

  /** A class or enumeration, whose template arguments are not the function's. */
  final DemangledNode className() {
    return name(new NameState(false));
  }

  private DemangledNode qualifiedType() {
    String qualifiers = cvQualifiers();
    if (take('F')) {
      return remember(functionType(qualifiers, null));
    }
    if (peek() == 'D' && "oOwx".indexOf(peek(1)) >= 0 && peek(1) != 0) {
      return remember(exceptionType(qualifiers));
    }
    return remember(new Suffixed(type(), qualifiers));
  }

  /** Behind {@code F}. */
  private DemangledNode functionType(String qualifiers, DemangledNode exceptions) {
    take('Y'); // extern "C"
    DemangledNode returned = type();
    List<DemangledNode> parameters = new ArrayList<>();
    String reference = "";
    while (!take('E')) {
      if (peek() == 'v' && peek(1) == 'E') {
        at++;
      } else if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') {
        reference = take('R') ? " &" : " &&";
        take('O');
      } else {
        parameters.add(type());
      }
    }
    return new FunctionType(returned, parameters, qualifiers + reference, exceptions);
  }

  /** Function types with an exception specification. */
  private DemangledNode exceptionType(String qualifiers) {
    DemangledNode exceptions =
        switch (text(2)) {
          case "Do" -> new Parts(" noexcept");
          case "DO" -> new Parts(" noexcept(", expressionToE(), ")");
          case "Dx" -> new Parts(" transaction_safe");
          default -> new Parts(" throw(", typesToE(), ")");
        };
    expect("F");
    return functionType(qualifiers, exceptions);
  }

  final DemangledNode typesToE() {
    List<DemangledNode> types = new ArrayList<>();
    while (!take('E')) {
      types.add(type());
    }
    return new Sequence(types);
  }

  final DemangledNode expressionToE() {
    DemangledNode expression = expression();
    expect("E");
    return expression;
  }

  /** Behind {@code D}. */
  private DemangledNode dType() {
    char c = next();
    return switch (c) {
      case 'p' -> remember(new Expansion(type()));
      case 't', 'T' -> {
        at -= 2;
        yield remember(decltype());
      }
      case 'o', 'O', 'w', 'x' -> {
        at -= 2;
        yield remember(exceptionType(""));
      }
      case 'v' -> {
        DemangledNode size = isDigit(peek()) ? new Parts(digits()) : vectorSize();
        expect("_");
        yield remember(new Parts(type(), " __vector(", size, ")"));
      }
      case 'F' -> {
        String bits = digits();
        if (take('b')) {
          yield new Parts("std::bfloat" + bits + "_t");
        }
        boolean extended = take('x');
        if (!extended) {
          expect("_");
        }
        yield new Parts("_Float" + bits + (extended ? "x" : ""));
      }
      case 'B', 'U' -> {
        DemangledNode bits = isDigit(peek()) ? new Parts(digits()) : expression();
        expect("_");
        yield new Parts(c == 'B' ? "signed _BitInt(" : "unsigned _BitInt(", bits, ")");
      }
      default -> builtin(ItaniumTables.BUILTIN_D, c);
    };
  }

  private DemangledNode vectorSize() {
    expect("_");
    return expression();
  }

  final DemangledNode decltype() {
    at += 2;
    return new Parts("decltype (", expressionToE(), ")");
  }

  private DemangledNode arrayType() {
    DemangledNode dimension = new Parts("");
    if (isDigit(peek())) {
      dimension = new Parts(digits());
    } else if (peek() != '_') {
      dimension = expression();
    }
    expect("_");
    return new Array(type(), dimension);
  }
}
