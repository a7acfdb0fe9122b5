package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The jar as a listing shows it. */
class AgentJarIT {

  private static final int JAVA_8 = 52;
  private static final int JAVA_17 = 61;

  @Test
  void outsideTheNestedPartAreOnlyTheBootClasses() throws IOException {
    Set<String> outside =
        Jars.names(Jars.AGENT).stream()
            .filter(name -> !name.startsWith("inner/"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(
        Set.of(
            "META-INF/MANIFEST.MF",
            "stackweave/agent/boot/Boot.class",
            "stackweave/agent/boot/InnerClassLoader.class",
            "stackweave/agent/boot/InnerClassLoader$EntryHandler.class",
            "stackweave/agent/boot/InnerClassLoader$EntryHandler$1.class"),
        outside);
  }

  @Test
  void nothingNestedIsAClassPathEntryByItself() throws IOException {
    List<String> names = Jars.names(Jars.AGENT);
    assertEquals(
        List.of(),
        names.stream()
            .filter(name -> name.startsWith("inner/"))
            .filter(name -> name.endsWith(".class") || name.contains("META-INF"))
            .toList());
    assertEquals(List.of(), names.stream().filter(name -> name.contains("packaging")).toList());
  }

  @Test
  void nativesAreThoseOfThePlatformsWithUnwindingRules() throws IOException {
    assertEquals(
        Set.of("linux-x86-64", "linux-aarch64", "linux-s390x"),
        Jars.names(Jars.AGENT).stream()
            .filter(name -> name.contains("jnidispatch"))
            .map(name -> name.split("/")[5])
            .collect(Collectors.toSet()));
  }

  @Test
  void bootClassLoadsOnJava8() throws IOException {
    assertEquals(JAVA_8, version("stackweave/agent/boot/Boot.class"));
    assertEquals(JAVA_17, version("stackweave/agent/boot/InnerClassLoader.class"));
  }

  @Test
  void manifestHasWhatTheJvmReads() throws IOException {
    try (JarFile jar = new JarFile(Jars.AGENT.toFile())) {
      Attributes main = jar.getManifest().getMainAttributes();
      for (String boot : List.of("Premain-Class", "Agent-Class", "Main-Class")) {
        assertEquals("stackweave.agent.boot.Boot", main.getValue(boot), boot);
      }
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
    try (JarFile jar = new JarFile(Jars.AGENT.toFile());
        DataInputStream in = new DataInputStream(jar.getInputStream(jar.getEntry(name)))) {
      assertEquals(0xCAFEBABE, in.readInt());
      in.readUnsignedShort();
      return in.readUnsignedShort();
    }
  }
}
