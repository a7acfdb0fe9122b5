package stackweave.maps.demangle;

import java.util.List;
import java.util.function.Function;

/**
 * A part of a demangled C++ name; made by {@link ItaniumDemangler}, one tree per name. A C++ type
 * surrounds the name it declares ({@code int (*name)[3]}), so each part is written in two halves,
 * left and right of what it surrounds.
 */
interface DemangledNode {

  void left(DemanglerOutput out);

  default void right(DemanglerOutput out) {}

  /** Whether a pointer to this needs parentheses: {@code (*)}. */
  default boolean isFunction(DemanglerOutput out) {
    return false;
  }

  default boolean isArray(DemanglerOutput out) {
    return false;
  }

  /**
   * The node that this stands for at the present output position: an element of a pack, an
   * argument.
   */
  default DemangledNode resolve(DemanglerOutput out) {
    return this;
  }

  /** The name that constructors of this class have. */
  default DemangledNode baseName() {
    return this;
  }

  default void print(DemanglerOutput out) {
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
  record Parts(Object... parts) implements DemangledNode {

    @Override
    public void left(DemanglerOutput out) {
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
  record Sequence(List<DemangledNode> nodes) implements DemangledNode {

    @Override
    public void left(DemanglerOutput out) {
      printList(out, nodes);
    }
  }

  /** {@code scope::name}. */
  record Qualified(DemangledNode scope, DemangledNode name) implements DemangledNode {

    @Override
    public void left(DemanglerOutput out) {
      scope.print(out);
      out.append("::");
      name.print(out);
    }

    @Override
    public DemangledNode baseName() {
      return name.baseName();
    }
  }

  /** One of the standard library's abbreviations. */
  record Standard(String text, String base) implements DemangledNode {

    @Override
    public void left(DemanglerOutput out) {
      out.append(text);
    }

    @Override
    public DemangledNode baseName() {
      return new Parts(base);
    }
  }

  /** {@code name[abi:tag]}. */
  record Tagged(DemangledNode name, String tag) implements DemangledNode {

    @Override
    public void left(DemanglerOutput out) {
      name.print(out);
      if (out.form.isFull()) {
        out.append("[abi:" + tag + "]");
      }
    }

    @Override
    public DemangledNode baseName() {
      return name.baseName();
    }
  }

  /** {@code name<arguments>}. */
  record Template(DemangledNode name, List<DemangledNode> arguments) implements DemangledNode {

    @Override
    public void left(DemanglerOutput out) {
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
    public DemangledNode baseName() {
      return name.baseName();
    }
  }

  /** A type followed by const, volatile or the like. */
  record Suffixed(DemangledNode type, String suffix) implements DemangledNode {

    @Override
    public void left(DemanglerOutput out) {
      out.enter();
      type.left(out);
      out.append(suffix);
      out.leave();
    }

    @Override
    public void right(DemanglerOutput out) {
      type.right(out);
    }

    @Override
    public boolean isFunction(DemanglerOutput out) {
      return type.isFunction(out);
    }

    @Override
    public boolean isArray(DemanglerOutput out) {
      return type.isArray(out);
    }
  }

  /** A type followed by {@code *}, {@code &}, {@code &&} or {@code Class::*}. */
  record Pointer(DemangledNode target, DemangledNode ofClass, String sign)
      implements DemangledNode {

    @Override
    public void left(DemanglerOutput out) {
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
    public void right(DemanglerOutput out) {
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
  record FunctionType(
      DemangledNode returned,
      List<DemangledNode> parameters,
      String qualifiers,
      DemangledNode exceptions)
      implements DemangledNode {

    @Override
    public boolean isFunction(DemanglerOutput out) {
      return true;
    }

    @Override
    public void left(DemanglerOutput out) {
      out.enter();
      returned.left(out);
      out.append(" ");
      out.leave();
    }

    @Override
    public void right(DemanglerOutput out) {
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
  record Array(DemangledNode element, DemangledNode dimension) implements DemangledNode {

    @Override
    public boolean isArray(DemanglerOutput out) {
      return true;
    }

    @Override
    public void left(DemanglerOutput out) {
      out.enter();
      element.left(out);
      out.leave();
    }

    @Override
    public void right(DemanglerOutput out) {
      out.enter();
      out.append(out.lastChar() == ']' ? "[" : " [");
      dimension.print(out);
      out.append("]");
      element.right(out);
      out.leave();
    }
  }

  /** A function with its types, which a whole symbol encodes. */
  record Encoding(
      DemangledNode returned, DemangledNode name, List<DemangledNode> parameters, String qualifiers)
      implements DemangledNode {

    Encoding withoutReturnType() {
      return new Encoding(null, name, parameters, qualifiers);
    }

    @Override
    public void left(DemanglerOutput out) {
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

  default boolean isPointerToFunction(DemanglerOutput out) {
    return this instanceof Pointer p && p.target.resolve(out).isFunction(out);
  }

  /** {@code {lambda(parameters)#number}}. */
  record Lambda(List<DemangledNode> parameters, String number) implements DemangledNode {

    @Override
    public void left(DemanglerOutput out) {
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
  record Pack(List<DemangledNode> elements) implements DemangledNode {

    @Override
    public DemangledNode resolve(DemanglerOutput out) {
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
    public void left(DemanglerOutput out) {
      DemangledNode one = resolve(out);
      if (one == this) {
        printList(out, elements);
      } else {
        one.left(out);
      }
    }

    @Override
    public void right(DemanglerOutput out) {
      DemangledNode one = resolve(out);
      if (one != this) {
        one.right(out);
      }
    }

    @Override
    public boolean isFunction(DemanglerOutput out) {
      DemangledNode one = resolve(out);
      return one != this && one.isFunction(out);
    }

    @Override
    public boolean isArray(DemanglerOutput out) {
      DemangledNode one = resolve(out);
      return one != this && one.isArray(out);
    }
  }

  /** A pattern, written once for each element of the packs in it. */
  record Expansion(DemangledNode pattern) implements DemangledNode {

    @Override
    public void left(DemanglerOutput out) {
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

  /**
   * A template parameter, which stands for its argument. In a conversion operator it is named
   * before the argument, which is set then ({@code forward}).
   */
  final class Parameter implements DemangledNode {
    final int index;
    final boolean forward;
    DemangledNode argument;
    private boolean busy;

    Parameter(int index, DemangledNode argument) {
      this.index = index;
      this.argument = argument;
      this.forward = argument == null;
    }

    /** Asks the argument; fails if it is being asked already, since that would not end. */
    private <T> T ask(Function<DemangledNode, T> question) {
      if (argument == null || busy) {
        throw UndemangledException.INSTANCE;
      }
      busy = true;
      T answer = question.apply(argument);
      busy = false;
      return answer;
    }

    @Override
    public DemangledNode resolve(DemanglerOutput out) {
      return ask(node -> node.resolve(out));
    }

    @Override
    public void left(DemanglerOutput out) {
      ask(
          node -> {
            node.left(out);
            return null;
          });
    }

    @Override
    public void right(DemanglerOutput out) {
      ask(
          node -> {
            node.right(out);
            return null;
          });
    }

    @Override
    public boolean isFunction(DemanglerOutput out) {
      return ask(node -> node.isFunction(out));
    }

    @Override
    public boolean isArray(DemanglerOutput out) {
      return ask(node -> node.isArray(out));
    }

    @Override
    public DemangledNode baseName() {
      return ask(DemangledNode::baseName);
    }
  }
}
