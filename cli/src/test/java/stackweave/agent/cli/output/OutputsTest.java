package stackweave.agent.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.agent.cli.common.UsageException;

/** The files of {@code record -o}. */
class OutputsTest {
  @ParameterizedTest
  @CsvSource({
    "a.jfr, RECORDING",
    "a.html.JFR, RECORDING",
    "-, RECORDING",
    "/dev/fd/63, RECORDING",
    "a.html, PAGE",
    "dir.jfr/A.HTML, PAGE",
    "a.pb.gz, PPROF",
    "a.txt, COLLAPSED",
    "a.collapsed, COLLAPSED",
    "a.folded, COLLAPSED",
    "a.speedscope.json, SPEEDSCOPE",
    "a.firefox.json, FIREFOX",
  })
  void theEndingSaysWhatItIs(Path file, OutputFormat format) {
    assertEquals(format, OutputFormat.of(file));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "flame.htm         | -o flame.htm: its ending .*: [.]jfr [(]a recording[)], [.]html .*, [.]firefox[.]json .*",
        "recording         | -o recording: its ending .*",
        "a.json            | -o a.json: its ending .*",
        "a.jfr b.html c.jfr| one -o may be a recording, not both a.jfr and c.jfr",
        "- a.html          | -o - takes a recording alone: .*",
      })
  void whatDoesNotGoTogetherIsRefused(String names, String message) {
    String said =
        assertThrows(UsageException.class, () -> Outputs.of(List.of(names.split(" +"))))
            .getMessage();
    assertTrue(said.matches(message), said);
  }

  @Test
  void aRecordingStaysIfItIsNamedOrNothingIs() throws Exception {
    Outputs none = Outputs.of(List.of());
    assertTrue(none.wantsRecording());
    assertNull(none.recording());
    assertFalse(Outputs.of(List.of("x.html")).wantsRecording());
    Outputs both = Outputs.of(List.of("x.html", "rec-%p.jfr", "x.txt"));
    assertTrue(both.wantsRecording());
    assertEquals("rec-%p.jfr", both.recording());
    assertEquals(List.of(Path.of("x.html"), Path.of("x.txt")), both.exports());
  }

  /** Its name is that of a directory: what writes it says so. */
  @Test
  void aDirectoryIsNoEndingThatIsUnknown() throws Exception {
    assertEquals("/tmp", Outputs.of(List.of("/tmp")).recording());
  }

  @Test
  void anotherProcessHasOtherFiles() throws Exception {
    Outputs other = Outputs.of(List.of("/d/a.b.pb.gz", "c.jfr")).ofProcess(4711);
    assertEquals(List.of(Path.of("/d/a.b-4711.pb.gz")), other.exports());
    assertEquals("c-4711.jfr", other.recording());
  }
}
