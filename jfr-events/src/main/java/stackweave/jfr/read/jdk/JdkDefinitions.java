package stackweave.jfr.read.jdk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.jfr.chunk.EventConstants.EventThread;
import stackweave.jfr.chunk.StackTraces.Frame;
import stackweave.jfr.chunk.StackTraces.Method;
import stackweave.jfr.read.block.DefinitionReceiver;
import stackweave.unwind.hash.LongIndex;

/**
 * Makes stacks, threads and classes of JFR's constants definitions of a session, each once: keys of
 * constants hold for one chunk only, so equal ones are told by what they say. Not thread-safe.
 */
final class JdkDefinitions {
  /** The legend of the kinds of frames. */
  static final String KINDS =
      "0=native,1=kernel,2=interpreted,3=compiled,4=C1,5=inlined,6=native method,7=class,8=unknown,"
          + "9=stub,10=continuation,11=unknown,12=marker";

  private static final int NATIVE = 0;
  private static final int KERNEL = 1;
  private static final int INTERPRETED = 2;
  private static final int COMPILED = 3;
  private static final int C1 = 4;
  private static final int INLINED = 5;
  private static final int NATIVE_METHOD = 6;
  private static final int CLASS = 7;
  private static final int UNKNOWN_JAVA = 8;
  private static final int STUB = 9;
  private static final int CONTINUATION = 10;
  private static final int UNKNOWN = 11;
  private static final int MARKER = 12;

  /** The legend of the ends of stacks. */
  static final String ENDS = "0=complete,1=truncated,2=no stack was read";

  /** The code of those that reached a thread's first frame, as far as JFR shows frames. */
  static final String COMPLETE_ENDS = "0";

  static final int COMPLETE = 0;
  static final int TRUNCATED = 1;
  static final int NOT_READ = 2;

  /** The access flags that profilers give a native function, and descriptors that they give it. */
  private static final int FUNCTION_FLAGS = 0x100;

  private static final Set<String> FUNCTION_DESCRIPTORS = Set.of("()L;", "()V");

  /** How JFR and JVMTI write the address of a hidden class behind its name. */
  private static final Pattern HIDDEN = Pattern.compile("[.+/](0x[0-9a-f]+)(/\\d+)?$");

  /** What a frame is of. */
  private record Code(Frame frame, boolean hasFunctions) {}

  private final DefinitionReceiver receiver;

  /** Frames with numbers from 0, and the numbers of their methods. */
  private final Map<Code, Integer> codes = new HashMap<>();

  private final Map<Method, Long> methods = new HashMap<>();
  private final Map<Method, Long> functions = new HashMap<>();
  private final Map<String, Long> libraries = new HashMap<>();
  private final Map<String, Integer> classes = new HashMap<>();
  private final Map<EventThread, Long> threads = new HashMap<>();

  /** By number of a code. */
  private final List<Definition> definitions = new ArrayList<>();

  /** Nodes by their caller's id and their code; the id of a node is its place + 1. */
  private final LongIndex nodes = new LongIndex();

  /** All of a frame but its caller. */
  private record Definition(long method, int kind, int line, int bytecodeIndex) {}

  private long lastMethod;

  JdkDefinitions(DefinitionReceiver receiver) {
    this.receiver = receiver;
  }

  /**
   * The id of a stack.
   *
   * @param frames the innermost first
   * @param hasFunctions whether frames of the type Native may be native functions: JFR's own are
   *     Java methods that are native
   * @return 0 for one without frames
   */
  long stack(List<Frame> frames, boolean hasFunctions) {
    long node = 0;
    for (int i = frames.size() - 1; i >= 0; i--) {
      node = node(node, code(new Code(frames.get(i), hasFunctions)));
    }
    return node;
  }

  /**
   * The id of a stack with a class in place of the innermost frame's callee.
   *
   * @param className as in the class file, or of an array as in a descriptor
   */
  long withClass(long stack, String className) {
    Integer code = classes.get(className);
    if (code == null) {
      long method = ++lastMethod;
      receiver.method(method, 0, "", typeName(className), "", 0, "", 0);
      code = add(new Definition(method, CLASS, 0, 0));
      classes.put(className, code);
    }
    return node(stack, code);
  }

  /** The key of a thread. */
  long thread(EventThread thread) {
    return threads.computeIfAbsent(
        thread,
        any -> {
          long key = threads.size() + 1L;
          receiver.thread(
              key, thread.osId(), thread.name(), thread.javaId(), thread.isVirtual(), 0);
          return key;
        });
  }

  private long node(long parent, int code) {
    int before = nodes.count();
    int place = nodes.add(parent << Integer.SIZE | code);
    long id = place + 1L;
    if (place == before) {
      Definition of = definitions.get(code);
      receiver.frame(id, parent, of.method, of.kind, of.line, of.bytecodeIndex, 0);
    }
    return id;
  }

  private int code(Code code) {
    Integer known = codes.get(code);
    if (known == null) {
      known = add(definition(code));
      codes.put(code, known);
    }
    return known;
  }

  private int add(Definition definition) {
    definitions.add(definition);
    return definitions.size() - 1;
  }

  private Definition definition(Code code) {
    Frame frame = code.frame;
    int kind = kind(code);
    boolean isFunction = kind < INTERPRETED || kind >= STUB;
    return isFunction
        ? new Definition(function(frame.method(), kind), kind, frame.line(), 0)
        : new Definition(method(frame.method()), kind, frame.line(), frame.bytecodeIndex());
  }

  /** The kind of a frame by its type, as JFR and async-profiler call them. */
  private static int kind(Code code) {
    Method method = code.frame.method();
    return switch (code.frame.type()) {
      case "Interpreted" -> INTERPRETED;
      case "JIT compiled" -> COMPILED;
      case "C1 compiled" -> C1;
      case "Inlined" -> INLINED;
      case "Kernel" -> KERNEL;
      case "C++" -> NATIVE;
      case "Native" ->
          code.hasFunctions && isFunction(method) ? functionKind(method) : NATIVE_METHOD;
      default -> UNKNOWN_JAVA;
    };
  }

  private static boolean isFunction(Method method) {
    return method.modifiers() == FUNCTION_FLAGS
        && FUNCTION_DESCRIPTORS.contains(method.descriptor());
  }

  /** The kind that a merged recording has in place of a library. */
  private static int functionKind(Method method) {
    return switch (method.className()) {
      case "stub" -> STUB;
      case "continuation" -> CONTINUATION;
      case "unknown" -> UNKNOWN;
      case "marker" -> MARKER;
      default -> NATIVE;
    };
  }

  private long method(Method method) {
    return methods.computeIfAbsent(
        method,
        any -> {
          long id = ++lastMethod;
          receiver.method(
              id,
              0,
              className(method.className()),
              method.name(),
              method.descriptor(),
              method.modifiers(),
              "",
              0);
          return id;
        });
  }

  private long function(Method function, int kind) {
    return functions.computeIfAbsent(
        function,
        any -> {
          // async-profiler gives code without a symbol the path of its library.
          boolean isPath = function.name().startsWith("/");
          String library = kind != NATIVE ? "" : isPath ? function.name() : function.className();
          String name = isPath ? "" : function.name();
          long id = ++lastMethod;
          receiver.method(id, library(library), "", name, "", 0, "", 0);
          return id;
        });
  }

  private long library(String name) {
    return name.isEmpty()
        ? 0
        : libraries.computeIfAbsent(
            name,
            any -> {
              long id = libraries.size() + 1L;
              receiver.library(id, name, "", 0, 0, "", "", 0, "");
              return id;
            });
  }

  /** The binary name of a class, with / before the address of a hidden one. */
  private static String className(String internal) {
    Matcher hidden = HIDDEN.matcher(internal);
    return hidden.find()
        ? internal.substring(0, hidden.start()).replace('/', '.') + "/" + hidden.group(1)
        : internal.replace('/', '.');
  }

  /** The name of a class or an array as in the Java language. */
  private static String typeName(String internal) {
    int dimensions = 0;
    while (dimensions < internal.length() && internal.charAt(dimensions) == '[') {
      dimensions++;
    }
    String element = internal.substring(dimensions);
    if (dimensions > 0) {
      element =
          switch (element) {
            case "B" -> "byte";
            case "C" -> "char";
            case "D" -> "double";
            case "F" -> "float";
            case "I" -> "int";
            case "J" -> "long";
            case "S" -> "short";
            case "Z" -> "boolean";
            default ->
                element.startsWith("L") && element.endsWith(";")
                    ? element.substring(1, element.length() - 1)
                    : element;
          };
    }
    return className(element) + "[]".repeat(dimensions);
  }
}
