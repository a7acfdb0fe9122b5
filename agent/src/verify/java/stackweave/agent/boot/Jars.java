package stackweave.agent.boot;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import stackweave.packaging.IndexedJar;
import stackweave.testing.ForkedJvm;

/** The agent jar as built, and jars made for a test. */
final class Jars {

  /** What the build made, and a user copies. */
  static final Path AGENT = ForkedJvm.AGENT;

  /** Of an older native version than ours. */
  static final Path OLD_JNA = Path.of("target/of-applications/jna.jar").toAbsolutePath();

  /** Of an application; JDK 17 is the newest that it knows. */
  static final Path OLD_BYTE_BUDDY =
      Path.of("target/of-applications/byte-buddy.jar").toAbsolutePath();

  /** Another agent, of those that change every class of the application. */
  static final Path JACOCO = Path.of("target/of-applications/jacoco.jar").toAbsolutePath();

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

  /** Our jar, with these entries of the inner jar (by their names in it) exchanged or added. */
  static Path agentWith(Path directory, Map<String, byte[]> changed) throws IOException {
    SortedMap<String, byte[]> entries = innerEntries(AGENT);
    entries.putAll(changed);
    IndexedJar inner = IndexedJar.of(entries);
    return agentWithOuter(
        directory, Map.of("inner.jar", inner.jar(), "inner.index", inner.index()));
  }

  /** Our jar, with these entries exchanged, those left out that are empty. */
  static Path agentWithOuter(Path directory, Map<String, byte[]> changed) throws IOException {
    Path copy = directory.resolve("changed-agent.jar");
    try (JarFile jar = new JarFile(AGENT.toFile());
        JarOutputStream out = new JarOutputStream(Files.newOutputStream(copy))) {
      for (JarEntry e : Collections.list(jar.entries())) {
        byte[] bytes = changed.get(e.getName());
        if (bytes == null) {
          try (InputStream in = jar.getInputStream(e)) {
            bytes = in.readAllBytes();
          }
        }
        if (bytes.length > 0) {
          JarEntry written = new JarEntry(e.getName());
          if (e.getMethod() == ZipEntry.STORED) {
            CRC32 crc = new CRC32();
            crc.update(bytes);
            written.setMethod(ZipEntry.STORED);
            written.setSize(bytes.length);
            written.setCrc(crc.getValue());
          }
          out.putNextEntry(written);
          out.write(bytes);
        }
      }
    }
    return copy;
  }

  static byte[] read(Path jar, String entry) throws IOException {
    try (JarFile file = new JarFile(jar.toFile());
        InputStream in = file.getInputStream(file.getEntry(entry))) {
      return in.readAllBytes();
    }
  }

  /** The entries of the jar inside the jar, read from its start to its end. */
  static SortedMap<String, byte[]> innerEntries(Path jar) throws IOException {
    SortedMap<String, byte[]> entries = new TreeMap<>();
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(read(jar, "inner.jar")))) {
      for (ZipEntry e = in.getNextEntry(); e != null; e = in.getNextEntry()) {
        entries.put(e.getName(), in.readAllBytes());
      }
    }
    return entries;
  }

  static List<String> names(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().map(JarEntry::getName).toList();
    }
  }
}
