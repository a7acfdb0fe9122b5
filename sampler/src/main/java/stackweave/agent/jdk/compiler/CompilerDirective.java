package stackweave.agent.jdk.compiler;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import stackweave.agent.jdk.JavaBase;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;

/**
 * Asks the VM to compile the agent's classes with C1 only, because C2 would cost a starting
 * application more than it ever gains. Adds a compiler directive as {@code jcmd PID
 * Compiler.directives_add} does: it names only the agent's packages, keeps users' directives, and
 * is never removed, because the VM removes only the newest. Called by {@link CompilerLimit}'s
 * thread.
 *
 * <p>The VM takes the command from {@code DiagnosticCommandImpl} of module jdk.management, JDK 17
 * to 27, without its MBean, whose server takes 0.1 s to load.
 */
final class CompilerDirective {
  private static final String MODULE = "jdk.management";
  private static final String PACKAGE = "com.sun.management.internal";

  /** A pattern of {@link #TEXT} by which the VM's list of directives is searched for this one. */
  private static final String PATTERN = "stackweave/agent/*.*";

  /** Has the packages of all modules of the agent, and no prefix that others' packages may have. */
  private static final String TEXT =
      "[{match: [\""
          + PATTERN
          + "\", \"stackweave/cpu/*.*\", \"stackweave/engine/*.*\", \"stackweave/hotspot/*.*\","
          + " \"stackweave/jfr/*.*\", \"stackweave/jna/*.*\", \"stackweave/linux/*.*\","
          + " \"stackweave/maps/*.*\", \"stackweave/sframe/*.*\", \"stackweave/tableless/*.*\","
          + " \"stackweave/unwind/*.*\"], c2: {Exclude: true}}]\n";

  /** Tried after the directory of temporary files. */
  private static final String[] DIRECTORIES = {"", "/tmp", "/var/tmp", "/dev/shm"};

  // fcntl.h; the same on x86-64 and AArch64
  private static final int O_RDWR = 02;
  private static final int O_CREAT = 0100;
  private static final int O_EXCL = 0200;

  private CompilerDirective() {}

  /**
   * Adds the directive if it isn't there. Not if C2 is the VM's only compiler: without it the agent
   * would always be interpreted, which costs far more.
   *
   * @return "" if it is there now or isn't wanted, else one line on why it is not
   */
  static String add(Instrumentation instrumentation) {
    if (ModuleLayer.boot().findModule(MODULE).isEmpty()) {
      return "C2 compiles the agent's classes, too, for this JVM runs without module " + MODULE;
    }
    try {
      Commands commands = new Commands(instrumentation);
      if (!hasC2Alone(commands.run("VM.flags"))
          && !commands.run("Compiler.directives_print").contains(PATTERN)) {
        add(commands);
      }
      return "";
    } catch (InvocationTargetException e) {
      return why(e.getCause());
    } catch (ReflectiveOperationException | IOException | RuntimeException | LinkageError e) {
      return why(e);
    }
  }

  /** Whether C2 is the only compiler, by the flags that {@code VM.flags} lists as not default. */
  private static boolean hasC2Alone(String flags) {
    // The second is also the prefix of high-only-quick-internal.
    return flags.contains("-XX:-TieredCompilation")
        || flags.contains("-XX:CompilationMode=high-only");
  }

  private static String why(Throwable e) {
    return "C2 compiles the agent's classes, too, for the VM took no compiler directive ("
        + e
        + ")";
  }

  /** Uses the first directory in which a file can be made, which is unlinked before it is read. */
  private static void add(Commands commands) throws IOException, ReflectiveOperationException {
    int fd = -1;
    for (int i = 0; i < DIRECTORIES.length && fd < 0; i++) {
      String directory = i == 0 ? System.getProperty("java.io.tmpdir", "/tmp") : DIRECTORIES[i];
      fd =
          createAndUnlink(
              directory + "/.stackweave-directive-" + Long.toHexString(System.nanoTime()));
    }
    if (fd < 0) {
      throw new IOException("no directory is writable: " + Errno.name(Libc.errno()));
    }
    try (NativeBuffer text = NativeBuffer.allocate(TEXT.length())) {
      text.bytes().put(0, TEXT.getBytes(StandardCharsets.US_ASCII));
      if (Libc.write(fd, text.address(), TEXT.length()) != TEXT.length()) {
        throw new IOException("the file can't be written: " + Errno.name(Libc.errno()));
      }
      String answer = commands.run("Compiler.directives_add /proc/self/fd/" + fd);
      if (!commands.run("Compiler.directives_print").contains(PATTERN)) {
        throw new IOException(answer.strip().replace('\n', ' '));
      }
    } finally {
      Libc.close(fd);
    }
  }

  /** Nobody can replace the file, because it is read by its descriptor. */
  private static int createAndUnlink(String path) {
    int fd = Libc.open(path, O_RDWR | O_CREAT | O_EXCL | Libc.O_CLOEXEC, 0600);
    if (fd >= 0 && !new File(path).delete()) {
      Libc.close(fd);
      return -1;
    }
    return fd;
  }

  /** The VM's commands, as jcmd has them. */
  private static final class Commands {
    private final Object implementation;
    private final Method execute;

    Commands(Instrumentation instrumentation) throws ReflectiveOperationException {
      // Its static initialiser loads the library that has the native methods.
      Class.forName(PACKAGE + ".PlatformMBeanProviderImpl");
      Class<?> type = Class.forName(PACKAGE + ".DiagnosticCommandImpl");
      JavaBase.open(instrumentation, type);
      Method instance = type.getDeclaredMethod("getDiagnosticCommandMBean");
      instance.setAccessible(true);
      implementation = instance.invoke(null);
      execute = type.getDeclaredMethod("executeDiagnosticCommand", String.class);
      execute.setAccessible(true);
    }

    String run(String command) throws ReflectiveOperationException {
      return (String) execute.invoke(implementation, command);
    }
  }
}
