package stackweave.agent.drain.limit;

import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import stackweave.agent.jdk.VmArguments;

/**
 * Whether {@code -XX:MaxMetaspaceSize} and {@code -XX:CompressedClassSpaceSize} leave room for the
 * agent's classes: at the limit the application would lack it, and loaded classes stay.
 *
 * <p>Whether there is a limit is read from the {@link VmArguments}, for which hardly a class is
 * loaded. Usage is read by {@code java.management}, which is loaded only if there is a limit that
 * is large enough for it. For one thread.
 */
public final class MetaspaceRoom {
  /** Bytes that sampling's classes need: 5 MiB were measured, a part of which is JFR's. */
  static final long NEEDED_BYTES = 12L << 20;

  /** The same of the compressed class space. */
  static final long NEEDED_CLASS_BYTES = 2L << 20;

  /** With a lower limit usage is not read: that would take as much as the application may have. */
  static final long MIN_BYTES = 16L << 20;

  private static final String LIMIT = "-XX:MaxMetaspaceSize=";
  private static final String CLASS_LIMIT = "-XX:CompressedClassSpaceSize=";

  /** A limit in a form that is not known here. */
  private static final long UNKNOWN = -1;

  private final long limit;
  private final long classLimit;

  /**
   * @param arguments of the VM, the ones that count last
   */
  MetaspaceRoom(String[] arguments) {
    long all = Long.MAX_VALUE;
    long classes = Long.MAX_VALUE;
    for (String argument : arguments) {
      if (argument.startsWith(LIMIT)) {
        all = bytes(argument.substring(LIMIT.length()));
      } else if (argument.startsWith(CLASS_LIMIT)) {
        classes = bytes(argument.substring(CLASS_LIMIT.length()));
      }
    }
    limit = all;
    classLimit = classes;
  }

  /** Reads this JVM's limits; if its arguments can't be read, there are none. */
  public static MetaspaceRoom of(Instrumentation instrumentation) {
    return new MetaspaceRoom(VmArguments.read(instrumentation));
  }

  /** Parses bytes: a number that k, m, g or t may follow; else {@link #UNKNOWN}. */
  static long bytes(String text) {
    int end = text.length();
    int shift =
        switch (end == 0 ? ' ' : text.charAt(end - 1)) {
          case 'k', 'K' -> 10;
          case 'm', 'M' -> 20;
          case 'g', 'G' -> 30;
          case 't', 'T' -> 40;
          default -> 0;
        };
    try {
      long number = Long.parseLong(text, 0, shift == 0 ? end : end - 1, 10);
      return number < 0 || number > Long.MAX_VALUE >> shift ? UNKNOWN : number << shift;
    } catch (NumberFormatException e) {
      return UNKNOWN;
    }
  }

  /** Whether there is nothing to look at. */
  boolean isUnlimited() {
    return limit == Long.MAX_VALUE && classLimit == Long.MAX_VALUE;
  }

  /**
   * Why there is too little room, in one line; null if there is enough.
   *
   * @param shares 1 before sampling first begins; later, when most of what it needs is loaded, the
   *     part of that that must be left, as a divisor
   */
  public String whyNot(int shares) {
    if (isUnlimited()) {
      return null;
    }
    if (limit != UNKNOWN && limit < MIN_BYTES) {
      return LIMIT
          + (limit >> 20)
          + "m limits what may be loaded, and sampling needs a limit of "
          + (MIN_BYTES >> 20)
          + " MiB or more";
    }
    if (ModuleLayer.boot().findModule("java.management").isEmpty()) {
      return "-XX:MaxMetaspaceSize or -XX:CompressedClassSpaceSize is limited, and without the"
          + " module java.management it is not known how much of it is left";
    }
    return used(Pools.left("Metaspace"), Pools.left("Compressed Class Space"), shares);
  }

  /** The same for the bytes left in both. */
  static String used(long left, long leftForClasses, int shares) {
    if (left < NEEDED_BYTES / shares) {
      return left(LIMIT, left, NEEDED_BYTES / shares);
    }
    return leftForClasses < NEEDED_CLASS_BYTES / shares
        ? left(CLASS_LIMIT, leftForClasses, NEEDED_CLASS_BYTES / shares)
        : null;
  }

  private static String left(String option, long left, long needed) {
    return option.substring(0, option.length() - 1)
        + " leaves "
        + (left >> 10)
        + " KiB for classes, and sampling needs "
        + (needed >> 10)
        + "; a larger one helps";
  }

  /** A class of its own, so that its classes are loaded only if there is a limit. */
  private static final class Pools {
    private Pools() {}

    /** Bytes that may still be committed in a pool; no limit if it is unlimited or missing. */
    static long left(String name) {
      for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
        if (pool.getName().equals(name)) {
          MemoryUsage usage = pool.getUsage();
          return usage == null || usage.getMax() < 0
              ? Long.MAX_VALUE
              : usage.getMax() - usage.getCommitted();
        }
      }
      return Long.MAX_VALUE;
    }
  }
}
