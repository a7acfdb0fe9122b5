package stackweave.lab.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import stackweave.lab.Built;

/**
 * A program that leaks native memory in several ways at once, each by a thread of its own and at
 * the same rate, beside threads that take memory and give it back, and garbage of Java. It serves
 * until its memory is recorded, leaks for some seconds, prints a line {@code NAME BYTES} for each
 * way, and goes on serving. Arguments: seconds, KiB a second, and ways; all if none is named.
 */
public final class LeakingService {
  /** Ways to leak, and others that keep nothing; the first ones as in leaking.c. */
  enum Way {
    LEAK_MALLOC("leak_malloc"),
    LEAK_NOISY("leak_noisy_block"),
    LEAK_MMAP("leak_mmap"),
    LEAK_CALLOC("leak_calloc"),
    LEAK_REALLOC("leak_realloc"),
    LEAK_HUGE("leak_huge"),
    LEAK_BURSTS("leak_bursts"),
    CHURN_MALLOC("churn_malloc"),
    CHURN_MMAP("churn_mmap"),
    LEAK_DIRECT("LeakingService.keepBuffer"),
    LEAK_ARENA("LeakingService.keepSegment"),
    GARBAGE("LeakingService.garbage");

    private final String frame;

    Way(String frame) {
      this.frame = frame;
    }

    /** What is in its stacks, and in no others. */
    String frame() {
      return frame;
    }

    /** Whether this JVM has it. */
    boolean isHere(int feature) {
      return this != LEAK_ARENA || feature >= FIRST_WITH_ARENAS;
    }
  }

  static final int FIRST_WITH_ARENAS = 22;

  /** The line that says that threads serve, and wait to be recorded. */
  static final String READY = "ready";

  /** The line that says that leaking is over. */
  static final String END = "end";

  private static final long TICK_MILLIS = 50;
  private static final long POLL_MILLIS = 20;
  private static final List<ByteBuffer> BUFFERS = new ArrayList<>();
  private static final AtomicLong[] KEPT = new AtomicLong[Way.values().length];
  private static final MethodHandle ALLOCATE = allocate();
  private static volatile boolean leaks;
  private static volatile Object sink;

  private LeakingService() {}

  static native long take(int way, long bytes);

  public static void main(String[] arguments) throws Exception {
    System.load(Built.library("leaking").toString());
    long seconds = Long.parseLong(arguments[0]);
    long rate = Long.parseLong(arguments[1]) << 10;
    List<Way> ways = new ArrayList<>();
    for (Way way : Way.values()) {
      KEPT[way.ordinal()] = new AtomicLong();
      if (way.isHere(Runtime.version().feature()) && isNamed(arguments, way)) {
        ways.add(way);
      }
    }
    for (Way way : ways) {
      Thread thread = new Thread(() -> serve(way, rate), way.name().toLowerCase(Locale.ROOT));
      thread.setDaemon(true);
      thread.start();
    }
    System.out.println(READY);
    while (!isRecorded()) {
      Thread.sleep(POLL_MILLIS);
    }
    leaks = true;
    Thread.sleep(TimeUnit.SECONDS.toMillis(seconds));
    leaks = false;
    Thread.sleep(4 * TICK_MILLIS);
    for (Way way : ways) {
      System.out.println(way + " " + KEPT[way.ordinal()].get());
    }
    System.out.println(END);
    System.in.read();
  }

  private static boolean isNamed(String[] arguments, Way way) {
    return arguments.length == 2 || List.of(arguments).contains(way.name());
  }

  /** Whether first touches and allocations come, or the status says why these don't. */
  private static boolean isRecorded() throws ReflectiveOperationException {
    Properties agent =
        (Properties)
            Class.forName("jdk.internal.vm.VMSupport").getMethod("getAgentProperties").invoke(null);
    String status = agent.getProperty("stackweave.status", "");
    return status.contains("native memory:") && status.contains("native allocations");
  }

  private static void serve(Way way, long rate) {
    boolean isLeak = way.name().startsWith("LEAK");
    long begin = 0;
    long wanted = 0;
    try {
      while (true) {
        if (leaks || !isLeak) {
          begin = begin == 0 ? System.nanoTime() : begin;
          long due = (System.nanoTime() - begin) / 1_000 * rate / 1_000_000;
          long bytes = Math.max(4_096, due - wanted) & -4_096;
          wanted += bytes;
          KEPT[way.ordinal()].addAndGet(take(way, bytes));
        }
        Thread.sleep(TICK_MILLIS);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long take(Way way, long bytes) {
    return switch (way) {
      case LEAK_DIRECT -> keepBuffer((int) bytes);
      case LEAK_ARENA -> keepSegment(bytes);
      case GARBAGE -> garbage((int) bytes);
      default -> take(way.ordinal(), bytes);
    };
  }

  private static long keepBuffer(int bytes) {
    BUFFERS.add(ByteBuffer.allocateDirect(bytes));
    return bytes;
  }

  private static long keepSegment(long bytes) {
    try {
      Object segment = ALLOCATE.invoke(bytes, 1L);
      return segment == null ? 0 : bytes;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static long garbage(int bytes) {
    for (int i = 0; i < 20; i++) {
      sink = new byte[bytes];
    }
    return 0;
  }

  /** Arena.global().allocate of JDK 22 and later: class files of JDK 17 can't name it. */
  private static MethodHandle allocate() {
    if (Runtime.version().feature() < FIRST_WITH_ARENAS) {
      return null;
    }
    try {
      Class<?> arena = Class.forName("java.lang.foreign.Arena");
      Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Object global = lookup.findStatic(arena, "global", MethodType.methodType(arena)).invoke();
      return lookup
          .findVirtual(arena, "allocate", MethodType.methodType(segment, long.class, long.class))
          .bindTo(global);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
