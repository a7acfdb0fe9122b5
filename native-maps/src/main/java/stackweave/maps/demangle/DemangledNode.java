package stackweave.maps.demangle;

import java.util.List;

/**
 * A part of a demangled C++ name; made by {@link ItaniumDemangler}, one tree per name. A C++ type
 * surrounds the name it declares ({@code int (*name)[3]}), so each part is written in two halves,
 * left and right of what it surrounds.
 */
abstract class DemangledNode {

  abstract void left(DemanglerOutput out);

  void right(DemanglerOutput out) {}

  /** Whether a pointer to this needs parentheses: {@code (*)}. */
  boolean isFunction(DemanglerOutput out) {
    return false;
  }

  boolean isArray(DemanglerOutput out) {
    return false;
  }

  /**
   * The node that this stands for at the present output position: an element of a pack, an
   * argument.
   */
  DemangledNode resolve(DemanglerOutput out) {
    return this;
  }

  /** The name that constructors of this class have. */
  DemangledNode baseName() {
    return this;
  }

  final void print(DemanglerOutput out) {
    out.enter();
    left(out);
    right(out);
    out.leave();
  }

  static void printList(DemanglerOutput out, List<? extends DemangledNode> nodes) {
    boolean first = true;
    for (DemangledNode node : nodes) {
      int before = out.length();
      if (!first) {
        out.append(", ");
      }
      int start = out.length();
      node.print(out);
      if (out.length() == start) {
        out.cut(before); // an empty pack leaves no comma
      } else {
        first = false;
      }
    }
  }

  /** A sequence of strings and nodes. */
  static final class Parts extends DemangledNode {
    private final Object[] parts;

    Parts(Object... parts) {
      this.parts = parts;
    }

    @Override
    void left(DemanglerOutput out) {
      for (Object part : parts) {
        if (part instanceof DemangledNode node) {
          node.print(out);
        } else {
          out.append((String) part);
        }
      }
    }
  }

  /** A comma-separated list. */
  static final class Sequence extends DemangledNode {
    private final List<DemangledNode> nodes;

    Sequence(List<DemangledNode> nodes) {
      this.nodes = nodes;
    }

    @Override
    void left(DemanglerOutput out) {
      printList(out, nodes);
    }
  }

  /** {@code scope::name}. */
  static final class Qualified extends DemangledNode {
    private final DemangledNode scope;
    private final DemangledNode name;

    Qualified(DemangledNode scope, DemangledNode name) {
      this.scope = scope;
      this.name = name;
    }

    @Override
    void left(DemanglerOutput out) {
      scope.print(out);
      out.append("::");
      name.print(out);
    }

    @Override
    DemangledNode baseName() {
      return name.baseName();
    }
  }

  /** One of the standard library's abbreviations. */
  static final class Standard extends DemangledNode {
    private final String text;
    private final String base;

    Standard(String text, String base) {
      this.text = text;
      this.base = base;
    }

    @Override
    void left(DemanglerOutput out) {
      out.append(text);
    }

    @Override
    DemangledNode baseName() {
      return new Parts(base);
    }
  }

  /** {@code name[abi:tag]}. */
  static final class Tagged extends DemangledNode {
    private final DemangledNode name;
    private final String tag;

    Tagged(DemangledNode name, String tag) {
      this.name = name;
      this.tag = tag;
    }

    @Override
    void left(DemanglerOutput out) {
      name.print(out);
      if (out.form.isFull()) {
        out.append("[abi:" + tag + "]");
      }
    }

    @Override
    DemangledNode baseName() {
      return name.baseName();
    }
  }

  /** {@code name<arguments>}. */
  static final class Template extends DemangledNode {
    private final DemangledNode name;
    private final List<DemangledNode> arguments;

    Template(DemangledNode name, List<DemangledNode> arguments) {
      this.name = name;
      this.arguments = arguments;
    }

    @Override
    void left(DemanglerOutput out) {
      name.print(out);
      if (out.lastChar() == '<') {
        out.append(" ");
      }
      out.append("<");
      if (out.form == DemanglerOutput.Form.SHORTEST
          || (out.form == DemanglerOutput.Form.SHORTER && out.argumentDepth > 0)) {
        out.append("...");
      } else {
        int index = out.packIndex;
        out.argumentDepth++;
        printList(out, arguments);
        out.argumentDepth--;
        out.packIndex = index;
      }
      out.append(out.lastChar() == '>' ? " >" : ">");
    }

    @Override
    DemangledNode baseName() {
      return name.baseName();
    }
  }

  /** A type followed by const, volatile or the like. */
  static final class Suffixed extends DemangledNode {
    private final DemangledNode type;
    private final String suffix;

    Suffixed(DemangledNode type, String suffix) {
      this.type = type;
      this.suffix = suffix;
    }

    @Override
    void left(DemanglerOutput out) {
      out.enter();
      type.left(out);
      out.append(suffix);
      out.leave();
    }

    @Override
    void right(DemanglerOutput out) {
      type.right(out);
    }

    @Override
    boolean isFunction(DemanglerOutput out) {
      return type.isFunction(out);
    }

    @Override
    boolean isArray(DemanglerOutput out) {
      return type.isArray(out);
    }
  }

  /** A type followed by {@code *}, {@code &}, {@code &&} or {@code Class::*}. */
  static final class Pointer extends DemangledNode {
    private final DemangledNode target;
    private final DemangledNode ofClass;
    private final String sign;

    /**
     * @param ofClass the class of a pointer to member, else null
     */
    Pointer(DemangledNode target, DemangledNode ofClass, String sign) {
      this.target = target;
      this.ofClass = ofClass;
      this.sign = sign;
    }

    @Override
    void left(DemanglerOutput out) {
      out.enter();
      String joined = sign;
      DemangledNode to = target.resolve(out);
      // References to references collapse: && only if both are.
      while (!sign.equals("*") && to instanceof Pointer inner && inner.sign.startsWith("&")) {
        joined = inner.sign.equals("&") ? "&" : joined;
        to = inner.target.resolve(out);
      }
      to.left(out);
      if (to.isArray(out)) {
        out.append(" (");
      } else if (to.isFunction(out)) {
        out.append("(");
      } else if (ofClass != null) {
        out.append(" ");
      }
      if (ofClass != null) {
        ofClass.print(out);
        out.append("::");
      }
      out.append(joined);
      out.leave();
    }

    @Override
    void right(DemanglerOutput out) {
      out.enter();
      DemangledNode to = target.resolve(out);
      while (!sign.equals("*") && to instanceof Pointer inner && inner.sign.startsWith("&")) {
        to = inner.target.resolve(out);
      }
      if (to.isArray(out) || to.isFunction(out)) {
        out.append(")");
      }
      to.right(out);
      out.leave();
    }
  }

  /** A function type; its return type may be null. */
  static final class Function extends DemangledNode {
    private final DemangledNode returned;
    private final List<DemangledNode> parameters;
    private final String qualifiers;
    private final DemangledNode exceptions;

    Function(
        DemangledNode returned,
        List<DemangledNode> parameters,
        String qualifiers,
        DemangledNode exceptions) {
      this.returned = returned;
      this.parameters = parameters;
      this.qualifiers = qualifiers;
      this.exceptions = exceptions;
    }

    @Override
    boolean isFunction(DemanglerOutput out) {
      return true;
    }

    @Override
    void left(DemanglerOutput out) {
      out.enter();
      returned.left(out);
      out.append(" ");
      out.leave();
    }

    @Override
    void right(DemanglerOutput out) {
      out.enter();
      out.append("(");
      printList(out, parameters);
      out.append(")");
      out.append(qualifiers);
      if (exceptions != null) {
        exceptions.print(out);
      }
      returned.right(out);
      out.leave();
    }
  }

  /** {@code element [dimension]}. */
  static final class Array extends DemangledNode {
    private final DemangledNode element;
    private final DemangledNode dimension;

    Array(DemangledNode element, DemangledNode dimension) {
      this.element = element;
      this.dimension = dimension;
    }

    @Override
    boolean isArray(DemanglerOutput out) {
      return true;
    }

    @Override
    void left(DemanglerOutput out) {
      out.enter();
      element.left(out);
      out.leave();
    }

    @Override
    void right(DemanglerOutput out) {
      out.enter();
      out.append(out.lastChar() == ']' ? "[" : " [");
      dimension.print(out);
      out.append("]");
      element.right(out);
      out.leave();
    }
  }

  /** A function with its types, which a whole symbol encodes. */
  static final class Encoding extends DemangledNode {
    private final DemangledNode returned;
    private final DemangledNode name;
    private final List<DemangledNode> parameters;
    private final String qualifiers;

    /**
     * @param returned null if the mangled name has none
     */
    Encoding(
        DemangledNode returned,
        DemangledNode name,
        List<DemangledNode> parameters,
        String qualifiers) {
      this.returned = returned;
      this.name = name;
      this.parameters = parameters;
      this.qualifiers = qualifiers;
    }

    DemangledNode name() {
      return name;
    }

    Encoding withoutReturnType() {
      return new Encoding(null, name, parameters, qualifiers);
    }

    @Override
    void left(DemanglerOutput out) {
      if (!out.form.isFull()) {
        name.print(out);
        return;
      }
      if (returned != null) {
        returned.left(out);
        if (!returned.isPointerToFunction(out)) {
          out.append(" ");
        }
      }
      name.print(out);
      out.append("(");
      printList(out, parameters);
      out.append(")");
      if (returned != null) {
        returned.right(out);
      }
      out.append(qualifiers);
    }
  }

  boolean isPointerToFunction(DemanglerOutput out) {
    return this instanceof Pointer p && p.target.resolve(out).isFunction(out);
  }

  /** {@code {lambda(parameters)#number}}. */
  static final class Lambda extends DemangledNode {
    private final List<DemangledNode> parameters;
    private final String number;

    Lambda(List<DemangledNode> parameters, String number) {
      this.parameters = parameters;
      this.number = number;
    }

    @Override
    void left(DemanglerOutput out) {
      out.append("{lambda");
      if (out.form.isFull()) {
        out.append("(");
        printList(out, parameters);
        out.append(")");
      }
      out.append("#" + number + "}");
    }
  }

  /** The arguments that a template parameter pack stands for. */
  static final class Pack extends DemangledNode {
    private final List<DemangledNode> elements;

    Pack(List<DemangledNode> elements) {
      this.elements = elements;
    }

    @Override
    DemangledNode resolve(DemanglerOutput out) {
      if (out.packIndex == DemanglerOutput.NO_PACK) {
        return this;
      }
      out.packSize = elements.size();
      return out.packIndex < elements.size()
          ? elements.get(out.packIndex).resolve(out)
          : new Parts();
    }

    int size() {
      return elements.size();
    }

    @Override
    void left(DemanglerOutput out) {
      DemangledNode one = resolve(out);
      if (one == this) {
        printList(out, elements);
      } else {
        one.left(out);
      }
    }

    @Override
    void right(DemanglerOutput out) {
      DemangledNode one = resolve(out);
      if (one != this) {
        one.right(out);
      }
    }

    @Override
    boolean isFunction(DemanglerOutput out) {
      DemangledNode one = resolve(out);
      return one != this && one.isFunction(out);
    }

    @Override
    boolean isArray(DemanglerOutput out) {
      DemangledNode one = resolve(out);
      return one != this && one.isArray(out);
    }
  }

  /** A pattern, written once for each element of the packs in it. */
  static final class Expansion extends DemangledNode {
    private final DemangledNode pattern;

    Expansion(DemangledNode pattern) {
      this.pattern = pattern;
    }

    @Override
    void left(DemanglerOutput out) {
      int outerIndex = out.packIndex;
      int outerSize = out.packSize;
      out.packSize = DemanglerOutput.NO_PACK;
      int start = out.length();
      for (int i = 0; ; i++) {
        int before = out.length();
        if (i > 0) {
          out.append(", ");
        }
        int from = out.length();
        out.packIndex = i;
        pattern.print(out);
        if (out.packSize == DemanglerOutput.NO_PACK) {
          out.append("...");
          break;
        }
        if (out.packSize == 0) {
          out.cut(start);
          break;
        }
        if (out.length() == from) {
          out.cut(before);
        }
        if (i + 1 >= out.packSize) {
          break;
        }
      }
      out.packIndex = outerIndex;
      out.packSize = outerSize;
    }
  }

  /** A node that stands for another one. */
  abstract static class Alias extends DemangledNode {
    private boolean busy;

    abstract DemangledNode target();

    /** The target; fails if it is being resolved already, since the recursion would not end. */
    private DemangledNode enter() {
      DemangledNode target = target();
      if (target == null || busy) {
        throw UndemangledException.INSTANCE;
      }
      busy = true;
      return target;
    }

    @Override
    final DemangledNode resolve(DemanglerOutput out) {
      DemangledNode resolved = enter().resolve(out);
      busy = false;
      return resolved;
    }

    @Override
    final void left(DemanglerOutput out) {
      enter().left(out);
      busy = false;
    }

    @Override
    final void right(DemanglerOutput out) {
      enter().right(out);
      busy = false;
    }

    @Override
    final boolean isFunction(DemanglerOutput out) {
      boolean is = enter().isFunction(out);
      busy = false;
      return is;
    }

    @Override
    final boolean isArray(DemanglerOutput out) {
      boolean is = enter().isArray(out);
      busy = false;
      return is;
    }

    @Override
    final DemangledNode baseName() {
      DemangledNode base = enter().baseName();
      busy = false;
      return base;
    }
  }

  /** A template parameter and its argument. */
  static final class Parameter extends Alias {
    private final int index;
    private final DemangledNode argument;

    Parameter(int index, DemangledNode argument) {
      this.index = index;
      this.argument = argument;
    }

    int index() {
      return index;
    }

    DemangledNode argument() {
      return argument;
    }

    @Override
    DemangledNode target() {
      return argument;
    }
  }

  /** A template parameter that is named before its argument: in a conversion operator. */
  static final class Forward extends Alias {
    final int index;
    DemangledNode argument;

    Forward(int index) {
      this.index = index;
    }

    @Override
    DemangledNode target() {
      return argument;
    }
  }
}
