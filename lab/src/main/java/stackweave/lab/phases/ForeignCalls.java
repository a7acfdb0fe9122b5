package stackweave.lab.phases;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.Random;
import stackweave.samples.work.Round;

/**
 * The C library's qsort called from Java, which it calls back for each comparison: the foreign
 * function interface of JDK 22 and later, by reflection since class files of JDK 17 can't name it.
 */
final class ForeignCalls implements Round {
  private static final int COUNT = 500;

  private final ByteBuffer numbers;
  private final long address;
  private final MethodHandle sort;
  private final MethodHandle length;

  ForeignCalls() {
    try {
      Foreign foreign = new Foreign();
      Object array = foreign.allocate(4L * COUNT);
      numbers = foreign.buffer(array).order(ByteOrder.nativeOrder());
      address = foreign.address(array);
      MethodHandle compare =
          MethodHandles.lookup()
              .findVirtual(
                  ForeignCalls.class,
                  "compare",
                  MethodType.methodType(int.class, long.class, long.class))
              .bindTo(this);
      sort =
          MethodHandles.insertArguments(
              foreign.downcall("qsort", null, "ADDRESS", "JAVA_LONG", "JAVA_LONG", "ADDRESS"),
              0,
              array,
              (long) COUNT,
              4L,
              foreign.upcall(compare, "JAVA_INT", "JAVA_LONG", "JAVA_LONG"));
      length =
          MethodHandles.insertArguments(
              foreign.downcall("strlen", "JAVA_LONG", "ADDRESS"), 0, foreign.text(5_000));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  static boolean isHere() {
    return Runtime.version().feature() >= 22;
  }

  @Override
  public long run() {
    long sum = 0;
    try {
      for (int i = 0; i < 20; i++) {
        Random random = new Random(i);
        for (int j = 0; j < COUNT; j++) {
          numbers.putInt(4 * j, random.nextInt());
        }
        sort.invokeExact();
        sum = 31 * sum + numbers.getInt(4 * i);
        for (int j = 0; j < 100; j++) {
          sum += (long) length.invokeExact();
        }
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
    return sum;
  }

  /** Called by qsort with two addresses in the array. */
  private int compare(long a, long b) {
    return Integer.compare(at(a), at(b));
  }

  private int at(long element) {
    return numbers.getInt((int) (element - address));
  }

  /** The few calls of java.lang.foreign that this phase needs. */
  private static final class Foreign {
    private final Object linker = type("Linker").getMethod("nativeLinker").invoke(null);
    private final Object arena = type("Arena").getMethod("global").invoke(null);
    private final Class<?> segment = type("MemorySegment");
    private final Class<?> descriptor = type("FunctionDescriptor");
    private final Class<?> layout = type("MemoryLayout");
    private final Class<?> options = type("Linker$Option").arrayType();

    Foreign() throws ReflectiveOperationException {}

    private static Class<?> type(String name) throws ClassNotFoundException {
      return Class.forName("java.lang.foreign." + name);
    }

    Object allocate(long size) throws ReflectiveOperationException {
      Method allocate = type("Arena").getMethod("allocate", long.class, long.class);
      return allocate.invoke(arena, size, 8L);
    }

    /** A C string of {@code length} bytes. */
    Object text(int length) throws ReflectiveOperationException {
      Object text = allocate(length + 1);
      ByteBuffer bytes = buffer(text);
      for (int i = 0; i < length; i++) {
        bytes.put(i, (byte) 'x');
      }
      return text;
    }

    ByteBuffer buffer(Object memory) throws ReflectiveOperationException {
      return (ByteBuffer) segment.getMethod("asByteBuffer").invoke(memory);
    }

    long address(Object memory) throws ReflectiveOperationException {
      return (long) segment.getMethod("address").invoke(memory);
    }

    /** A handle that calls a function of the C library; {@code result} is null for void. */
    MethodHandle downcall(String function, String result, String... parameters)
        throws ReflectiveOperationException {
      Object lookup = type("Linker").getMethod("defaultLookup").invoke(linker);
      Optional<?> found =
          (Optional<?>)
              type("SymbolLookup").getMethod("find", String.class).invoke(lookup, function);
      return (MethodHandle)
          type("Linker")
              .getMethod("downcallHandle", segment, descriptor, options)
              .invoke(
                  linker,
                  found.get(),
                  describe(result, parameters),
                  Array.newInstance(options.componentType(), 0));
    }

    /** The address of C code that calls {@code target}. */
    Object upcall(MethodHandle target, String result, String... parameters)
        throws ReflectiveOperationException {
      try {
        return type("Linker")
            .getMethod("upcallStub", MethodHandle.class, descriptor, type("Arena"), options)
            .invoke(
                linker,
                target,
                describe(result, parameters),
                arena,
                Array.newInstance(options.componentType(), 0));
      } catch (InvocationTargetException e) {
        throw new IllegalStateException(e.getCause());
      }
    }

    private Object describe(String result, String... parameters)
        throws ReflectiveOperationException {
      Object layouts = Array.newInstance(layout, parameters.length);
      for (int i = 0; i < parameters.length; i++) {
        Array.set(layouts, i, layout(parameters[i]));
      }
      if (result == null) {
        return descriptor.getMethod("ofVoid", layout.arrayType()).invoke(null, layouts);
      }
      return descriptor
          .getMethod("of", layout, layout.arrayType())
          .invoke(null, layout(result), layouts);
    }

    private static Object layout(String name) throws ReflectiveOperationException {
      return type("ValueLayout").getField(name).get(null);
    }
  }
}
