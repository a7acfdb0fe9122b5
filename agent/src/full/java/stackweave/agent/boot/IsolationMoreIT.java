package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Native;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.ChoosesLogManager;
import stackweave.agent.apps.Hello;
import stackweave.agent.apps.LoadsLibrary;
import stackweave.agent.apps.UsesOwnJna;
import stackweave.testing.Ended;

/** More applications under the agent against the same under an agent that does nothing. */
class IsolationMoreIT extends BesideEmptyAgent {
  @ParameterizedTest
  @MethodSource("jvms")
  void printsNothing(Jvm jvm) throws Exception {
    assertSameAsEmpty(jvm, List.of(), Hello.class);
  }

  @ParameterizedTest
  @MethodSource("restrictingJvms")
  void printsNothingWhereNativeAccessIsDenied(Jvm jvm) throws Exception {
    assertSameAsEmpty(jvm, List.of(DENY), Hello.class);
  }

  @ParameterizedTest
  @MethodSource("restrictingJvms")
  void applicationsOwnLoadStillWarns(Jvm jvm) throws Exception {
    Ended result = assertSameAsEmpty(jvm, List.of(), LoadsLibrary.class);
    assertEquals("loaded\n", result.out());
    assertTrue(result.err().contains("WARNING: A restricted method"), result.err());
  }

  @ParameterizedTest
  @MethodSource("restrictingJvms")
  void applicationsOwnLoadStillFailsWhereDenied(Jvm jvm) throws Exception {
    Ended result = assertSameAsEmpty(jvm, List.of(DENY), LoadsLibrary.class);
    assertNotEquals(0, result.exit());
    assertTrue(result.err().contains("IllegalCallerException"), result.err());
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void applicationChoosesItsLogManagerInMain(Jvm jvm) throws Exception {
    Ended result =
        assertSameAsEmpty(
            jvm, List.of("-XX:StartFlightRecording:filename=r.jfr"), ChoosesLogManager.class);
    assertTrue(result.out().contains("Chosen"), result.out());
  }

  /** Switches for the application's JNA: each of them breaks a JNA that follows it. */
  @ParameterizedTest
  @MethodSource("jvms")
  void switchesOfJnaAreNotOurs(Jvm jvm) throws Exception {
    Path oldLibrary = unpackOldLibrary();
    for (List<String> switches :
        List.of(
            List.of("-Djna.nounpack=true"),
            List.of("-Djna.boot.library.path=" + oldLibrary.getParent()),
            List.of("-Djna.nosys=false", "-Djava.library.path=" + oldLibrary.getParent()),
            List.of("-Djna.noclasspath=true"),
            List.of("-Djna.tmpdir=/nonexistent", "-Duser.home=/nonexistent"),
            List.of("-Djava.io.tmpdir=/nonexistent"))) {
      assertSameAsEmpty(jvm, switches, Hello.class);
    }
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void applicationsJnaOnTheModulePathWorksBesideOurs(Jvm jvm) throws Exception {
    // The same packages under another module's name, then our module's very name.
    Path sameName =
        Path.of(Native.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    assertEquals("com.sun.jna", moduleName(jvm, sameName));
    for (Path jna : List.of(Jars.OLD_JNA, sameName)) {
      List<String> modules =
          List.of("--module-path=" + jna, "--add-modules=" + moduleName(jvm, jna));
      Ended result = assertSameAsEmpty(jvm, modules, UsesOwnJna.class);
      assertTrue(result.out().matches("true\n\\d+\\.\\d+\\.\\d+\ntrue\n"), result.toString());
    }
  }

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  private String moduleName(Jvm jvm, Path jar) throws Exception {
    Ended listed = jvm.run(directory, List.of("--module-path=" + jar, "--list-modules"));
    return listed
        .out()
        .lines()
        .filter(line -> line.contains("jna"))
        .map(line -> line.split("[@ ]")[0])
        .findFirst()
        .orElseThrow();
  }

  private Path unpackOldLibrary() throws IOException {
    Path library = Files.createDirectories(directory.resolve("old")).resolve("libjnidispatch.so");
    String platform = System.getProperty("os.arch").equals("amd64") ? "x86-64" : "aarch64";
    try (JarFile jar = new JarFile(Jars.OLD_JNA.toFile());
        InputStream in =
            jar.getInputStream(
                jar.getEntry("com/sun/jna/linux-" + platform + "/libjnidispatch.so"))) {
      Files.write(library, in.readAllBytes());
    }
    return library;
  }
}
