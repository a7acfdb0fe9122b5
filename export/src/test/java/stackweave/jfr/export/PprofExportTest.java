package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.export.PprofMessage.number;

import com.google.protobuf.DynamicMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.read.SampledRecording;

/** Profiles for pprof, read by the library of protocol buffers. */
class PprofExportTest {
  @TempDir private Path directory;

  @Test
  void hasTheStacksOfTheCollapsedFormat() throws Exception {
    for (SampledRecording recording :
        List.of(
            ManyStacks.all(directory),
            ManyStacks.one(directory),
            ManyStacks.twoProcesses(Files.createDirectory(directory.resolve("two"))))) {
      decoded(recording, Selection.ALL).stacks().assertAreThoseOf(recording, Selection.ALL);
    }
  }

  @Test
  void saysWhenAndHowOftenItWasSampled() throws Exception {
    SampledRecording recording = TimedWork.recordThinned(directory.resolve("thinned.jfr"));
    PprofMessage decoded = decoded(recording, Selection.ALL);
    DynamicMessage profile = decoded.message();
    assertEquals(10_000_000, number(profile, "period"));
    assertEquals(3_000, number(profile, "duration_nanos") / 1e6, 2);
    assertEquals(Texts.nanos(recording.first()), number(profile, "time_nanos"));
    DynamicMessage sample = PprofMessage.messages(profile, "sample").get(0);
    assertEquals("11", decoded.labels(sample).get("thread_id"), "as ps and top show it");
  }

  @Test
  void saysWhatPprofAsks() throws Exception {
    PprofMessage decoded = decoded(ManyStacks.all(directory), Selection.ALL);
    DynamicMessage profile = decoded.message();
    List<String> types = new ArrayList<>();
    for (DynamicMessage type : PprofMessage.messages(profile, "sample_type")) {
      types.add(decoded.text(type, "type") + "/" + decoded.text(type, "unit"));
    }
    assertEquals(List.of("samples/count", "cpu/nanoseconds"), types);
    assertEquals("cpu", decoded.text(profile, "default_sample_type"));
    long age = System.currentTimeMillis() - number(profile, "time_nanos") / 1_000_000;
    assertTrue(age >= 0 && age < 600_000, age + " ms");
    assertTrue(number(profile, "duration_nanos") > 0);

    Set<String> states = new TreeSet<>();
    Set<String> kinds = new TreeSet<>();
    Set<String> contexts = new TreeSet<>();
    for (DynamicMessage sample : PprofMessage.messages(profile, "sample")) {
      states.add(decoded.labels(sample).get("state"));
      kinds.add(decoded.labels(sample).getOrDefault("kind", "none"));
      contexts.add(decoded.labels(sample).getOrDefault("context_id", "none"));
    }
    assertEquals(Set.of("on CPU", "waiting"), states);
    assertEquals(Set.of("C2", "inlined", "interpreted", "kernel", "native", "none"), kinds);
    assertEquals(Set.of("123456789abc", "ffffffffffffffff", "none"), contexts);

    List<String> mappings = new ArrayList<>();
    for (DynamicMessage mapping : decoded.mappings()) {
      mappings.add(
          decoded.text(mapping, "build_id").length() + " " + number(mapping, "has_functions"));
      assertEquals(0, number(mapping, "memory_start"));
      assertEquals(-1, number(mapping, "memory_limit"));
    }
    assertEquals(List.of("40 1", "0 0", "0 1"), mappings);
    List<Long> inlined = new ArrayList<>();
    for (DynamicMessage location : PprofMessage.messages(profile, "location")) {
      if (PprofMessage.messages(location, "line").size() == 3) {
        PprofMessage.messages(location, "line").forEach(l -> inlined.add(number(l, "line")));
      }
    }
    assertEquals(List.of(6L, 5L, 12L), inlined);
  }

  static PprofMessage decoded(SampledRecording recording, Selection selection) throws Exception {
    return new PprofMessage(ExportedStacks.bytes(new PprofExport(selection), recording));
  }
}
