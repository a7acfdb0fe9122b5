package stackweave.agent.boot;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** The agent jar as built, and jars made for a test. */
final class Jars {

  /** What the build made, and a user copies. */
  static final Path AGENT = Path.of("target/stackweave-agent.jar").toAbsolutePath();

  /** Of an older native version than ours. */
  static final Path OLD_JNA = Path.of("target/old-jna/jna.jar").toAbsolutePath();

  private Jars() {}

  /** The class path of {@link stackweave.agent.apps}: nothing but the test classes. */
  static Path apps() {
    try {
      return Path.of(Jars.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A jar with this agent in it and, as of ours, the attributes that a manifest can have. */
  static Path agent(Path directory, Class<?> type) throws IOException {
    Path jar = directory.resolve(type.getSimpleName() + ".jar");
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Premain-Class", type.getName());
    main.putValue("Agent-Class", type.getName());
    main.putValue("Can-Redefine-Classes", "true");
    main.putValue("Can-Retransform-Classes", "true");
    main.putValue("Can-Set-Native-Method-Prefix", "true");
    String path = type.getName().replace('.', '/') + ".class";
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      out.putNextEntry(new JarEntry(path));
      Files.copy(apps().resolve(path), out);
    }
    return jar;
  }

  /** Our jar with an entry exchanged, or taken out where the content is null. */
  static Path agentWith(Path directory, String entry, byte[] content) throws IOException {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    try (JarFile jar = new JarFile(AGENT.toFile())) {
      for (JarEntry e : Collections.list(jar.entries())) {
        try (InputStream in = jar.getInputStream(e)) {
          entries.put(e.getName(), in.readAllBytes());
        }
      }
    }
    if (!entries.containsKey(entry)) {
      throw new IllegalArgumentException("no " + entry);
    }
    entries.remove(entry);
    if (content != null) {
      entries.put(entry, content);
    }
    Path changed = directory.resolve("changed-agent.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(changed))) {
      for (Map.Entry<String, byte[]> e : entries.entrySet()) {
        out.putNextEntry(new JarEntry(e.getKey()));
        out.write(e.getValue());
      }
    }
    return changed;
  }

  static List<String> names(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().map(JarEntry::getName).toList();
    }
  }
}
