package stackweave.agent.apps;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A second agent that makes Stackweave's JNA work before main(), which Stackweave itself never
 * does: the worst moment for an application. Without Stackweave it does nothing. The option is the
 * file for its findings.
 */
public final class JnaProbe {

  private JnaProbe() {}

  public static void premain(String findings, Instrumentation instrumentation) throws Exception {
    for (Class<?> type : instrumentation.getAllLoadedClasses()) {
      if (type.getName().equals("stackweave.agent.Agent")) {
        probe(type.getClassLoader(), Path.of(findings));
      }
    }
  }

  private static void probe(ClassLoader loader, Path findings)
      throws ReflectiveOperationException, IOException {
    Class<?> library = Class.forName("com.sun.jna.NativeLibrary", true, loader);
    Object process = library.getMethod("getProcess").invoke(null);
    Object getpid = library.getMethod("getFunction", String.class).invoke(process, "getpid");
    Method invoke = getpid.getClass().getMethod("invokeInt", Object[].class);
    // Our own calls, bound by JNA into a class outside of JNA's module.
    Class.forName("stackweave.linux.Libc", true, loader);
    // Registers with the cleaner, and frees.
    Class<?> memory = Class.forName("com.sun.jna.Memory", true, loader);
    memory.getMethod("close").invoke(memory.getConstructor(long.class).newInstance(64L));

    List<String> found = new ArrayList<>();
    found.add("pid " + invoke.invoke(getpid, (Object) new Object[0]));
    found.add("module " + library.getModule().getName());
    maps("jnidispatch").forEach(line -> found.add("map " + line));
    Files.write(findings, found);
  }

  private static List<String> maps(String part) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains(part))
        .toList();
  }
}
