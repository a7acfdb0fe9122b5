package stackweave.agent.cli.start;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import stackweave.agent.cli.common.FailedException;
import stackweave.linux.Descriptor;

/**
 * Passes signals that would end this process on to a program that it has started, until it is
 * closed. The JDK offers no other way than {@code sun.misc.Signal}, which is used by reflection: a
 * compiler warns of it.
 *
 * <p>What a terminal sends, SIGINT for Ctrl-C and SIGHUP when it is closed, the program has
 * already, since it is of the same process group. Who sent a signal is not known here. So these two
 * are not passed on while that group is in the terminal's foreground, and SIGTERM always is.
 */
final class PassedSignals implements AutoCloseable {
  private static final List<String> SIGNALS = List.of("HUP", "INT", "TERM");

  /** SIGTERM, which no terminal sends. */
  private static final int TERM = 15;

  // Indices among the fields of /proc/self/stat that follow the name (proc_pid_stat(5)).
  private static final int GROUP = 2;
  private static final int FOREGROUND_GROUP = 5;

  private final CompletableFuture<Process> program = new CompletableFuture<>();

  /** The signals with what handled them before. */
  private final Map<Object, Object> before = new LinkedHashMap<>();

  private final Class<?> type;
  private final Class<?> handlerType;

  /**
   * Takes signals from now on; those that come before {@link #to} wait for it.
   *
   * @throws FailedException if this Java runtime can't
   */
  PassedSignals() throws FailedException {
    try {
      type = Class.forName("sun.misc.Signal");
      handlerType = Class.forName("sun.misc.SignalHandler");
      Object handler =
          Proxy.newProxyInstance(
              null,
              new Class<?>[] {handlerType},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "handle" -> {
                      pass((int) type.getMethod("getNumber").invoke(arguments[0]));
                      yield null;
                    }
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> "passed on";
                  });
      for (String name : SIGNALS) {
        Object signal = type.getConstructor(String.class).newInstance(name);
        before.put(signal, handle(signal, handler));
      }
    } catch (ClassNotFoundException e) {
      throw new FailedException(
          "this Java runtime lacks jdk.unsupported, which record -- needs: run it with a JDK of"
              + " version 17 or newer");
    } catch (ReflectiveOperationException e) {
      throw new FailedException("signals can't be passed on (%s)", e);
    }
  }

  private Object handle(Object signal, Object handler) throws ReflectiveOperationException {
    return type.getMethod("handle", type, handlerType).invoke(null, signal, handler);
  }

  /** Passes them to this program. */
  void to(Process started) {
    program.complete(started);
  }

  private void pass(int signal) {
    try {
      if (signal != TERM && isInForeground()) {
        return;
      }
      long pid = program.join().pid();
      try (Descriptor directory = Descriptor.directory("/proc/" + pid)) {
        directory.signal((int) pid, signal);
      }
    } catch (IOException | CompletionException | CancellationException e) {
      return; // it has ended, or was not started
    }
  }

  private static boolean isInForeground() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
    return fields[GROUP].equals(fields[FOREGROUND_GROUP]);
  }

  /** Signals do again what they did before. */
  @Override
  public void close() {
    program.cancel(false);
    List<ReflectiveOperationException> failures = new ArrayList<>();
    before.forEach(
        (signal, handler) -> {
          try {
            handle(signal, handler);
          } catch (ReflectiveOperationException e) {
            failures.add(e);
          }
        });
    if (!failures.isEmpty()) {
      throw new IllegalStateException(failures.get(0));
    }
  }
}
