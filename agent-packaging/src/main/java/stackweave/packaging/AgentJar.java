package stackweave.packaging;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes the agent jar; the build of this module runs it. The application can see only the boot
 * classes; all others lie in a jar inside the jar, which only the agent's own class loader reads.
 * The same inputs must give the same bytes.
 */
public final class AgentJar {
  // The jar:
  //   META-INF/MANIFEST.MF
  //   META-INF/LICENSE, NOTICE       of Stackweave
  //   META-INF/licenses/…            of the libraries
  //   stackweave/agent/boot/*.class
  //   inner.index                    where each entry of inner.jar lies
  //   inner.jar                      stored, not compressed as a whole:
  //     stackweave/…                 Stackweave, picocli, xz, the ASM of Byte Buddy
  //     com.sun.jna/…                JNA, rewritten, with replacements of the parts taken out of it
  //     com.sun.jna.packages         the packages of that module

  private static final String BOOT_PACKAGE = "stackweave/agent/boot/";
  private static final String BOOT_CLASS = "stackweave.agent.boot.Boot";
  private static final String COMMAND_CLASS = "stackweave.agent.boot.Command";
  private static final String INNER_JAR = "inner.jar";
  private static final String INNER_INDEX = "inner.index";
  private static final String OWN_MODULE = "stackweave/";
  private static final String JNA_MODULE = "com.sun.jna/";
  private static final String JNA_PACKAGE_LIST = "com.sun.jna.packages";
  private static final String LICENSES = "META-INF/licenses/";

  /** JNA packages: its own and that of our replacements. */
  private static final List<String> JNA_PACKAGES = List.of("com/sun/jna/", JnaRewriter.SHIM);

  /** Only the copy of ASM in Byte Buddy is used. */
  private static final String BYTE_BUDDY = "net/bytebuddy/";

  private static final String ASM = "jar/asm/";

  private static final String DISPATCH_LIBRARY = "jnidispatch";

  /** The platforms that have unwinding rules; JNA brings natives for 24. */
  private static final Set<String> DISPATCH_LIBRARIES =
      Set.of(
          "com/sun/jna/linux-x86-64/libjnidispatch.so",
          "com/sun/jna/linux-aarch64/libjnidispatch.so",
          "com/sun/jna/linux-s390x/libjnidispatch.so");

  private static final Set<String> LICENSE_FILES =
      Set.of("META-INF/AL2.0", "META-INF/LICENSE", "META-INF/NOTICE");

  private static final LocalDateTime TIMESTAMP = LocalDateTime.of(2026, 1, 1, 0, 0);

  private final SortedMap<String, byte[]> boot = new TreeMap<>();
  private final SortedMap<String, byte[]> legal = new TreeMap<>();
  private final SortedMap<String, byte[]> inner = new TreeMap<>();
  private final JnaRewriter jna = new JnaRewriter();

  private AgentJar() {}

  /**
   * @param args the jar to write, the agent's version, and a class path (separated by {@code :}) of
   *     directories and jars that go in
   */
  public static void main(String[] args) throws IOException {
    if (args.length != 3) {
      throw new IllegalArgumentException("want: JAR VERSION CLASSPATH, got " + List.of(args));
    }
    write(Path.of(args[0]), args[1], args[2]);
  }

  static void write(Path jar, String version, String classPath) throws IOException {
    AgentJar content = new AgentJar();
    for (String element : classPath.split(File.pathSeparator)) {
      Path path = Path.of(element);
      if (Files.isDirectory(path)) {
        content.addDirectory(path);
      } else {
        content.addJar(path);
      }
    }
    if (!content.jna.unused().isEmpty()) {
      throw new IOException(
          "JNA has nothing of "
              + content.jna.unused()
              + ": it changed, and its isolation must be looked at again");
    }
    content.writeTo(jar, manifest(version));
  }

  private void addDirectory(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory, FileVisitOption.FOLLOW_LINKS)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String path = directory.relativize(file).toString();
        byte[] content = Files.readAllBytes(file);
        if (LICENSE_FILES.contains(path)) {
          addLicense(path, path, content);
        } else {
          add("", path, content);
        }
      }
    }
  }

  private void addJar(Path file) throws IOException {
    String artifact = file.getFileName().toString().replaceFirst("\\.jar$", "");
    try (JarFile jar = new JarFile(file.toFile())) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        if (!entry.isDirectory()) {
          try (InputStream in = jar.getInputStream(entry)) {
            add(artifact, entry.getName(), in.readAllBytes());
          }
        }
      }
    }
  }

  private void add(String artifact, String path, byte[] content) throws IOException {
    if (LICENSE_FILES.contains(path)) {
      addLicense(LICENSES + artifact + path.substring("META-INF".length()), path, content);
    } else if (path.startsWith(LICENSES)) {
      put(legal, path, content);
    } else if (path.startsWith("META-INF/") || path.endsWith("-info.class")) {
      // Services, versions and module descriptors apply to class and module paths; these classes
      // are on none.
    } else if (path.startsWith(BOOT_PACKAGE)) {
      put(boot, path, content);
    } else if (JNA_PACKAGES.stream().anyMatch(path::startsWith)) {
      addToJna(path, content);
    } else if (!path.startsWith(BYTE_BUDDY) || path.startsWith(BYTE_BUDDY + ASM)) {
      put(inner, OWN_MODULE + path, content);
    }
  }

  /** Adds the licence of a library; modules of ours have that of Stackweave, which is there. */
  private void addLicense(String name, String path, byte[] content) throws IOException {
    if (!Arrays.equals(content, legal.get(path))) {
      put(legal, name, content);
    }
  }

  private void addToJna(String path, byte[] content) throws IOException {
    if (path.contains(DISPATCH_LIBRARY)) {
      if (DISPATCH_LIBRARIES.contains(path)) {
        put(inner, JNA_MODULE + path, content);
      }
    } else if (path.startsWith(JnaRewriter.SHIM) || !path.endsWith(".class")) {
      put(inner, JNA_MODULE + path, content);
    } else if (!JnaRewriter.isReplaced(path)) {
      put(inner, JNA_MODULE + path, jna.rewrite(content));
    }
  }

  private static void put(Map<String, byte[]> entries, String name, byte[] content)
      throws IOException {
    if (entries.put(name, content) != null) {
      throw new IOException(name + " comes from two places of the class path");
    }
  }

  private byte[] jnaPackages() {
    Set<String> packages = new TreeSet<>();
    for (String name : inner.keySet()) {
      if (name.startsWith(JNA_MODULE) && name.endsWith(".class")) {
        packages.add(name.substring(JNA_MODULE.length(), name.lastIndexOf('/')).replace('/', '.'));
      }
    }
    return String.join("\n", packages).getBytes(StandardCharsets.UTF_8);
  }

  private static Manifest manifest(String version) {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Premain-Class", BOOT_CLASS);
    main.putValue("Agent-Class", BOOT_CLASS);
    main.putValue("Main-Class", COMMAND_CLASS);
    main.putValue("Can-Redefine-Classes", "true");
    main.putValue("Can-Retransform-Classes", "true");
    main.putValue("Can-Set-Native-Method-Prefix", "true");
    // Read for the command line only: the agent grants access to its own JNA and nothing else.
    main.putValue("Enable-Native-Access", "ALL-UNNAMED");
    main.putValue("Implementation-Title", "Stackweave");
    main.putValue("Implementation-Version", version);
    return manifest;
  }

  private void writeTo(Path file, Manifest manifest) throws IOException {
    inner.put(JNA_PACKAGE_LIST, jnaPackages());
    IndexedJar innerJar = IndexedJar.of(inner);
    Files.createDirectories(file.toAbsolutePath().getParent());
    Path unfinished = file.resolveSibling(file.getFileName() + ".part");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(unfinished));
        ZipOutputStream jar = new ZipOutputStream(out)) {
      jar.setLevel(Deflater.BEST_COMPRESSION);
      jar.putNextEntry(stamped(JarFile.MANIFEST_NAME));
      manifest.write(jar);
      write(jar, legal);
      write(jar, boot);
      jar.putNextEntry(stamped(INNER_INDEX));
      jar.write(innerJar.index());
      jar.putNextEntry(stored(INNER_JAR, innerJar.jar()));
      jar.write(innerJar.jar());
    }
    // A JVM that still runs with the old jar keeps the old file.
    Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void write(ZipOutputStream jar, Map<String, byte[]> entries) throws IOException {
    for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
      jar.putNextEntry(stamped(entry.getKey()));
      jar.write(entry.getValue());
    }
  }

  static ZipEntry stamped(String name) {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(TIMESTAMP);
    return entry;
  }

  private static ZipEntry stored(String name, byte[] content) {
    CRC32 crc = new CRC32();
    crc.update(content);
    ZipEntry entry = stamped(name);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(content.length);
    entry.setCrc(crc.getValue());
    return entry;
  }
}
