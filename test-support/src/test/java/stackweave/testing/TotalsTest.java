package stackweave.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TotalsTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path project;

  @Test
  void flakesAndStarvedTestsOfAllModulesAreListed() throws Exception {
    report("agent", "surefire", "<testcase classname='a.B' name='one'/>");
    report("agent", "failsafe", flake("x.FirstIT") + starved("x.SecondIT"));
    report("live-tests", "failsafe", flake("y.ThirdIT") + skipped("no gdb") + skipped("no gdb"));
    Totals totals = totals();
    assertEquals(
        """
        6 tests
          skipped, 2: no gdb
          starved: agent: SecondIT.test: 3 samples
          failed and then passed: agent: FirstIT.test: expected
          failed and then passed: live-tests: ThirdIT.test: expected
        """,
        totals.text());
    assertEquals("", totals.whyNot());
  }

  @Test
  void manyFlakesFailTheRun() throws Exception {
    report("agent", "failsafe", flake("x.A") + flake("x.B") + flake("x.C"));
    assertEquals("3 tests failed and then passed; 2 may: see above", totals().whyNot());
  }

  @Test
  void manyStarvedTestsFailTheRun() throws Exception {
    report("agent", "failsafe", starved("x.A") + starved("x.B") + starved("x.C"));
    assertEquals("", totals().whyNot());
    report("recording", "failsafe", starved("x.D"));
    assertEquals("4 tests got too little CPU time; 3 may: see above", totals().whyNot());
  }

  @Test
  void reportsOfEarlierBuildsDoNotCount() throws Exception {
    Path old = report("agent", "failsafe", flake("x.A") + flake("x.B") + flake("x.C"));
    Files.setLastModifiedTime(old, FileTime.from(BEGIN.minusSeconds(1)));
    assertEquals("", totals().whyNot());
  }

  @Test
  void classesWithoutReportFailTheRun() throws Exception {
    for (String name : List.of("AnIT", "AnotherIT", "AnotherIT$Inner", "ATest", "Program")) {
      Path file = project.resolve("agent/target/test-classes/x/" + name + ".class");
      Files.createDirectories(file.getParent());
      Files.createFile(file);
    }
    Path report = report("agent", "failsafe", "<testcase classname='x.AnIT' name='one'/>");
    Files.move(report, report.resolveSibling("TEST-x.AnIT-chance.xml"));
    Totals totals = totals();
    totals.addNotRun(project, "IT");
    assertEquals("1 tests\n  not run: agent: x.AnotherIT\n", totals.text());
    assertEquals("1 classes of tests were not run: see above", totals.whyNot());
    totals = totals();
    totals.addNotRun(project, "Test|IT");
    assertEquals("2 classes of tests were not run: see above", totals.whyNot());
  }

  private Totals totals() throws Exception {
    Totals totals = new Totals(BEGIN);
    totals.addAll(project);
    return totals;
  }

  private Path report(String module, String kind, String cases) throws Exception {
    Path directory = project.resolve(module + "/target/" + kind + "-reports");
    Files.createDirectories(directory);
    Path file = directory.resolve("TEST-x.xml");
    return Files.writeString(file, "<testsuite>" + cases + "</testsuite>");
  }

  private static String flake(String name) {
    return test(name, "<flakyFailure message='expected&#10;or so'>at x.y</flakyFailure>");
  }

  private static String starved(String name) {
    return test(name, skip(Starved.because("3 samples").getMessage()));
  }

  private static String skipped(String why) {
    return test("x.Skipped", skip("Assumption failed: " + why));
  }

  /** As Failsafe 3.6 has it: no message, and a stack trace. */
  private static String skip(String why) {
    String exception = "org.opentest4j.TestAbortedException";
    return "<skipped type='" + exception + "'>" + exception + ": " + why + "\n\tat x.y</skipped>";
  }

  private static String test(String name, String result) {
    return "<testcase classname='" + name + "' name='test'>" + result + "</testcase>";
  }
}
