package stackweave.agent.apps;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.spi.URLStreamHandlerProvider;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.spi.CharsetProvider;
import java.nio.file.spi.FileSystemProvider;
import java.security.Security;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.LogManager;
import java.util.spi.ToolProvider;
import java.util.zip.Deflater;

/**
 * An application with old libraries of its own and agents beside it: uses its JNA, works in Java
 * over C, starts threads all the time, and on {@code look} prints all that it can see of what is
 * around it.
 */
public final class Tenant {

  /** Kept by the agent beside it, for each start of a thread of ours, and for each round. */
  private static final List<String> COUNTERS = List.of("tenant.starts", "tenant.rounds");

  private static final int THREADS = 5;
  private static final int TURNS = 10;

  private static final List<String> CLASSES =
      List.of(
          "com.sun.jna.Native",
          "com.sun.jna.Pointer",
          "net.bytebuddy.ByteBuddy",
          "net.bytebuddy.asm.Advice",
          "picocli.CommandLine",
          "stackweave.agent.Agent",
          "stackweave.agent.jdk.hook.ThreadStartHook",
          "stackweave.agent.drain.Sampler",
          "stackweave.unwind.Registers",
          "stackweave.jfr.event.NativeSample");

  private static final List<String> RESOURCES =
      List.of(
          "META-INF/services",
          "META-INF/versions/9/module-info.class",
          "com/sun/jna/Native.class",
          "com/sun/jna/linux-x86-64/libjnidispatch.so",
          "net/bytebuddy/ByteBuddy.class",
          "picocli/CommandLine.class",
          "stackweave/agent/Agent.class",
          "stackweave/agent/stackweave.jfc",
          "stackweave/unwind/Registers.class");

  private static final List<Class<?>> SERVICES =
      List.of(
          CharsetProvider.class,
          FileSystemProvider.class,
          SelectorProvider.class,
          System.LoggerFinder.class,
          ToolProvider.class,
          URLStreamHandlerProvider.class);

  private Tenant() {}

  public static void main(String[] arguments) throws Exception {
    UsesOwnJna.main(arguments);
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(() -> {}, "tenant-" + i);
      thread.start();
      thread.join();
    }
    round();
    COUNTERS.forEach(name -> System.out.println(name + "=" + System.getProperty(name)));
    COUNTERS.forEach(System::clearProperty);
    Thread busy = new Thread(Tenant::work, "busy");
    busy.setDaemon(true);
    busy.start();
    System.out.println("ready");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      look();
      System.out.println("looked");
    }
  }

  private static void work() {
    while (true) {
      round();
      Thread shortLived = new Thread(Tenant::round, "short");
      shortLived.start();
      try {
        shortLived.join();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Java over C code of the JDK, some milliseconds of it. */
  private static void round() {
    byte[] noise = new byte[1 << 16];
    new Random(1).nextBytes(noise);
    Deflater deflater = new Deflater();
    for (int i = 0; i < TURNS; i++) {
      deflater.reset();
      deflater.setInput(noise);
      deflater.finish();
      deflater.deflate(new byte[noise.length * 2]);
    }
    deflater.end();
  }

  private static void look() throws IOException {
    new TreeMap<>(System.getProperties())
        .forEach((name, value) -> System.out.println("property " + name + "=" + value));
    for (String name : CLASSES) {
      System.out.println("class " + name + ": " + from(name));
    }
    ClassLoader loader = Tenant.class.getClassLoader();
    for (String name : RESOURCES) {
      List<URL> found = Collections.list(loader.getResources(name));
      System.out.println("resource " + name + ": " + found);
    }
    for (Class<?> service : SERVICES) {
      ServiceLoader.load(service, loader).stream()
          .map(provider -> provider.type().getName())
          .sorted()
          .forEach(type -> System.out.println("service " + service.getName() + ": " + type));
    }
    ModuleLayer.boot().modules().stream()
        .map(Module::getName)
        .sorted()
        .forEach(name -> System.out.println("module " + name));
    Arrays.stream(loader.getDefinedPackages())
        .map(Package::getName)
        .sorted()
        .forEach(name -> System.out.println("package " + name));
    System.out.println("providers " + Arrays.toString(Security.getProviders()));
    System.out.println(
        "loggers " + new TreeSet<>(Collections.list(LogManager.getLogManager().getLoggerNames())));
    System.out.println("handler " + Thread.getDefaultUncaughtExceptionHandler());
    new TreeSet<>(ManagementFactory.getPlatformMBeanServer().queryNames(null, null))
        .forEach(name -> System.out.println("bean " + name));
  }

  private static String from(String name) {
    try {
      Class<?> type = Class.forName(name, false, Tenant.class.getClassLoader());
      return String.valueOf(type.getProtectionDomain().getCodeSource());
    } catch (ClassNotFoundException e) {
      return "not there";
    }
  }
}
