package stackweave.lab;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Files that the project's build made, for JVMs that are started from here. Thread-safe. */
public final class Built {
  private Built() {}

  /** This module's {@code target} directory. */
  public static Path target() {
    try {
      Path code = Path.of(Built.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return code.toAbsolutePath().getParent();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The agent's jar. */
  public static Path agentJar() {
    return target().resolve("../../agent/target/stackweave-agent.jar").normalize();
  }

  /** The jar of {@link EmptyAgent}, which this makes. */
  public static Path emptyAgentJar() throws IOException {
    Path jar = target().resolve("empty-agent.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", EmptyAgent.class.getName());
    String entry = EmptyAgent.class.getName().replace('.', '/') + ".class";
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      out.putNextEntry(new JarEntry(entry));
      Files.copy(target().resolve("classes").resolve(entry), out);
    }
    return jar;
  }

  /** The classes of this module and of sample-apps, whose libraries lie beside them. */
  public static String classes() {
    Path samples = target().resolve("../../sample-apps/target/classes").normalize();
    return target().resolve("classes") + ":" + samples;
  }

  /** What applications label their samples with. */
  public static Path labels() {
    return target().resolve("../../labels/target/classes").normalize();
  }

  /** The class path of sample-apps alone, as its users have it. */
  public static String samplesClassPath() {
    Path samples = target().resolve("../../sample-apps/target").normalize();
    return samples.resolve("classes") + ":" + samples.resolve("lib") + "/*";
  }

  /** {@link #classes} and the libraries they use. */
  public static String classPath() {
    return classes() + ":" + target().resolve("lib") + "/*";
  }

  /**
   * The path of a native library of this module, built or not: {@code target/native/libNAME.so}.
   */
  public static Path library(String name) {
    return nativeFile("lib" + name + ".so");
  }

  /** The path of another file there, built or not. */
  public static Path nativeFile(String name) {
    return target().resolve("native").resolve(name);
  }
}
