package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as a listing shows it. */
class AgentJarIT {

  private static final int JAVA_8 = 52;
  private static final int JAVA_17 = 61;

  /** What NOTICE names is there. */
  @Test
  void licencesAreInTheJar() throws IOException {
    Set<String> names = Set.copyOf(Jars.names(Jars.AGENT));
    assertTrue(names.containsAll(Set.of("META-INF/LICENSE", "META-INF/NOTICE")), names::toString);
    for (String library : List.of("byte-buddy-[0-9.]*/LICENSE", "ASM", "jna-[0-9.]*/AL2.0", "xz")) {
      assertTrue(
          names.stream().anyMatch(name -> name.matches("META-INF/licenses/" + library)), library);
    }
  }

  @Test
  void outsideTheInnerJarAreOnlyTheBootClasses() throws IOException {
    assertEquals(
        Set.of(
            "META-INF/MANIFEST.MF",
            "inner.index",
            "inner.jar",
            "stackweave/agent/boot/Boot.class",
            "stackweave/agent/boot/Command.class",
            "stackweave/agent/boot/InnerJar.class",
            "stackweave/agent/boot/InnerClassLoader.class"),
        Jars.names(Jars.AGENT).stream()
            .filter(name -> !name.matches("META-INF/(LICENSE|NOTICE|licenses/.*)"))
            .collect(Collectors.toSet()));
  }

  @Test
  void innerJarHasTheAgentAndNothingOfItsBuild() throws IOException {
    Set<String> names = Jars.innerEntries(Jars.AGENT).keySet();
    for (String wanted :
        List.of(
            "stackweave/stackweave/agent/Agent.class",
            "stackweave/stackweave/unwind/Registers.class",
            "stackweave/stackweave/hotspot/model/FrameBuffer.class",
            "stackweave/picocli/CommandLine.class",
            "stackweave/org/tukaani/xz/XZInputStream.class",
            "com.sun.jna/com/sun/jna/Native.class",
            "com.sun.jna/stackweave/jna/DispatchLibrary.class")) {
      assertTrue(names.contains(wanted), wanted);
    }
    assertEquals(
        List.of(),
        names.stream()
            .filter(name -> name.matches(".*(META-INF|module-info|objectweb|/packaging/).*"))
            .toList());
  }

  @Test
  void replacementsHaveWhatJnaUsesOfThem() throws IOException {
    JnaLinks links = new JnaLinks();
    Map<String, byte[]> replacements = Jars.innerEntries(Jars.AGENT);
    replacements.keySet().removeIf(name -> !name.matches("com[.]sun[.]jna/.*[.]class"));
    Map<String, byte[]> jna = new TreeMap<>(replacements);
    replacements.keySet().removeIf(n -> !n.startsWith("com.sun.jna/" + JnaLinks.REPLACEMENTS));
    jna.keySet().removeAll(replacements.keySet());
    jna.values().forEach(links::user);
    assertTrue(links.missing().contains("stackweave/jna/DispatchLibrary.load()V"));
    replacements.values().forEach(links::replacement);
    assertEquals(Set.of(), links.missing());
  }

  @Test
  void nativesAreThoseOfThePlatformsWithUnwindingRules() throws IOException {
    assertEquals(
        Set.of("linux-x86-64", "linux-aarch64", "linux-s390x"),
        Jars.innerEntries(Jars.AGENT).keySet().stream()
            .filter(name -> name.contains("libjnidispatch"))
            .map(name -> name.split("/")[4])
            .collect(Collectors.toSet()));
  }

  /** Against a reader that knows no index: every entry, and none that isn't there. */
  @Test
  void indexFindsEveryEntry() throws IOException {
    Map<String, byte[]> entries = Jars.innerEntries(Jars.AGENT);
    assertTrue(entries.size() > 300, entries.size() + " entries");
    InnerJar inner = InnerJar.open(Jars.AGENT.toFile());
    for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
      assertArrayEquals(entry.getValue(), inner.read(entry.getKey()), entry.getKey());
      assertNull(inner.read(entry.getKey() + "x"));
    }
  }

  @Test
  void indexTellsNamesOfTheSameHashApart(@TempDir Path directory) throws IOException {
    assertEquals("x/AaAa".hashCode(), "x/BBBB".hashCode());
    Path jar =
        Jars.agentWith(directory, Map.of("x/AaAa", new byte[] {1}, "x/BBBB", new byte[] {2, 2}));
    InnerJar inner = InnerJar.open(jar.toFile());
    assertArrayEquals(new byte[] {1}, inner.read("x/AaAa"));
    assertArrayEquals(new byte[] {2, 2}, inner.read("x/BBBB"));
    assertNull(inner.read("x/AaBB"));
  }

  @Test
  void bootClassLoadsOnJava8() throws IOException {
    assertEquals(JAVA_8, version("stackweave/agent/boot/Boot.class"));
    assertEquals(JAVA_8, version("stackweave/agent/boot/Command.class"));
    assertEquals(JAVA_17, version("stackweave/agent/boot/InnerClassLoader.class"));
  }

  @Test
  void manifestHasWhatTheJvmReads() throws IOException {
    try (JarFile jar = new JarFile(Jars.AGENT.toFile())) {
      Attributes main = jar.getManifest().getMainAttributes();
      for (String boot : List.of("Premain-Class", "Agent-Class")) {
        assertEquals("stackweave.agent.boot.Boot", main.getValue(boot), boot);
      }
      assertEquals("stackweave.agent.boot.Command", main.getValue("Main-Class"));
      for (String can :
          List.of(
              "Can-Redefine-Classes", "Can-Retransform-Classes", "Can-Set-Native-Method-Prefix")) {
        assertEquals("true", main.getValue(can), can);
      }
      assertEquals("ALL-UNNAMED", main.getValue("Enable-Native-Access"));
      assertTrue(main.getValue("Implementation-Version").matches("\\d+\\.\\d+\\.\\d+.*"));
    }
  }

  private static int version(String name) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new ByteArrayInputStream(Jars.read(Jars.AGENT, name)))) {
      assertEquals(0xCAFEBABE, in.readInt());
      in.readUnsignedShort();
      return in.readUnsignedShort();
    }
  }
}
