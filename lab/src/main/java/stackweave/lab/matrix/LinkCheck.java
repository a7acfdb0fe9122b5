package stackweave.lab.matrix;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks whether a Java frame can have called the one further in: the bytecode at its index must be
 * a call of a method of that name. Reads the class files of the JVM that it runs in, which
 * therefore must be the one under test, and of the class path. Not thread-safe.
 */
public final class LinkCheck {

  /** A Java method as the recording names it. */
  public record JavaMethod(String className, String name, String descriptor, boolean isNative) {
    @Override
    public String toString() {
      return className + "." + name + descriptor;
    }
  }

  /** What the class files say of a pair of frames. */
  public enum Verdict {
    GOOD,
    BAD,
    /** Hidden and generated classes, native callers, calls whose callee is decided at run time. */
    UNCHECKED
  }

  /**
   * Classes into which JFR itself writes calls when a recording starts, up to JDK 21, and those
   * into which the agent does, to see loads of libraries.
   */
  private static final Set<String> INSTRUMENTED =
      Set.of(
          "java.io.FileInputStream",
          "java.io.FileOutputStream",
          "java.io.RandomAccessFile",
          "java.lang.Error",
          "java.lang.Throwable",
          "java.net.Socket$SocketInputStream",
          "java.net.Socket$SocketOutputStream",
          "jdk.internal.loader.NativeLibraries$NativeLibraryImpl",
          "jdk.internal.loader.RawNativeLibraries$RawNativeLibraryImpl",
          "sun.nio.ch.FileChannelImpl",
          "sun.nio.ch.SocketChannelImpl");

  /** What the agent has Thread call where a thread is started or begins, with timers. */
  private static final String STARTED_THREADS = "java.lang.StackweaveStartedThreads";

  private static final Set<String> EVENTS = Set.of("jdk.jfr.Event", "jdk.internal.event.Event");

  private final Map<String, Optional<CallSites>> classes = new HashMap<>();

  /** Whether {@code caller}, at that bytecode, calls {@code callee}. */
  public Verdict check(JavaMethod caller, int bytecodeIndex, JavaMethod callee) {
    Map<Integer, String> calls = callsOf(caller);
    boolean isOfAgent =
        callee.className().equals(STARTED_THREADS) && caller.className().equals("java.lang.Thread");
    if (calls == null || isOfAgent) {
      return Verdict.UNCHECKED;
    }
    String called = calls.get(bytecodeIndex);
    if (CallSites.ANY.equals(called)) {
      return Verdict.UNCHECKED;
    }
    return callee.name().equals(called) ? Verdict.GOOD : Verdict.BAD;
  }

  /** What the bytecode at the caller's index does, in words. */
  String calledBy(JavaMethod caller, int bytecodeIndex) {
    String called = callsOf(caller).get(bytecodeIndex);
    return called == null ? "no method" : called;
  }

  private Map<Integer, String> callsOf(JavaMethod caller) {
    if (caller.isNative() || INSTRUMENTED.contains(caller.className())) {
      return null;
    }
    CallSites sites = sitesOf(caller.className());
    return sites == null || isEvent(sites) ? null : sites.of(caller.name(), caller.descriptor());
  }

  private CallSites sitesOf(String className) {
    Optional<CallSites> sites = classes.get(className);
    if (sites == null) {
      sites = Optional.ofNullable(read(className));
      classes.put(className, sites);
    }
    return sites.orElse(null);
  }

  /** Whether it is an event of JFR: their methods are written when a recording starts. */
  private boolean isEvent(CallSites sites) {
    for (CallSites at = sites; at != null && at.superclass() != null; ) {
      if (EVENTS.contains(at.superclass())) {
        return true;
      }
      at = sitesOf(at.superclass());
    }
    return false;
  }

  /** The class's file, if it has one: hidden and generated classes have none. */
  private CallSites read(String className) {
    String file = className.replace('.', '/') + ".class";
    try (InputStream in = ClassLoader.getSystemResourceAsStream(file)) {
      return in == null ? null : CallSites.read(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
