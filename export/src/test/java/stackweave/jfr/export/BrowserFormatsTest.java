package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** The files for speedscope and the Firefox Profiler, read by another JSON library. */
class BrowserFormatsTest {
  @TempDir private Path directory;

  @Test
  void speedscopeHasTheStacksOfTheCollapsedFormat() throws Exception {
    for (SampledRecording recording : recordings()) {
      speedscope(recording, Selection.ALL).assertNanosAreThoseOf(recording, Selection.ALL);
    }
  }

  @Test
  void firefoxHasTheStacksOfTheCollapsedFormat() throws Exception {
    for (SampledRecording recording : recordings()) {
      firefox(recording, Selection.ALL).assertAreThoseOf(recording, Selection.ALL);
    }
  }

  private List<SampledRecording> recordings() throws Exception {
    return List.of(
        ManyStacks.all(directory),
        ManyStacks.one(directory),
        ManyStacks.twoProcesses(Files.createDirectory(directory.resolve("two"))));
  }

  @Test
  void aRecordingOfTooManySamplesIsRefused() throws Exception {
    SampledRecording recording = ManyStacks.all(directory);
    int most = (int) recording.samples();
    new TimedSamples(recording, Selection.ALL, false, most);
    RecordingException e =
        assertThrows(
            RecordingException.class,
            () -> new TimedSamples(recording, Selection.ALL, false, most - 1));
    assertEquals(
        "29 samples are more than the 28 that this format is written with: choose a part with"
            + " --from and --to, or another format",
        e.getMessage());
  }

  /** The format has each frame of each stack. */
  @Test
  void tooManyFramesForSpeedscopeAreRefused() throws Exception {
    SampledRecording recording = ManyStacks.all(directory);
    long frames = 0;
    JsonObject file = json(new SpeedscopeExport("", Selection.ALL), recording);
    for (JsonElement profile : file.getAsJsonArray("profiles")) {
      for (JsonElement stack : profile.getAsJsonObject().getAsJsonArray("samples")) {
        frames += stack.getAsJsonArray().size();
      }
    }
    json(new SpeedscopeExport("", Selection.ALL, frames), recording);
    SpeedscopeExport less = new SpeedscopeExport("", Selection.ALL, frames - 1);
    RecordingException e =
        assertThrows(RecordingException.class, () -> ExportedStacks.bytes(less, recording));
    assertTrue(e.getMessage().startsWith("its stacks have " + frames + " frames"), e.getMessage());
  }

  /** By its schema: www.speedscope.app/file-format-schema.json. */
  static ExportedStacks speedscope(SampledRecording recording, Selection selection)
      throws Exception {
    JsonObject file = json(new SpeedscopeExport(ManyStacks.HOSTILE, selection), recording);
    assertEquals(
        "https://www.speedscope.app/file-format-schema.json", file.get("$schema").getAsString());
    JsonArray frames = file.getAsJsonObject("shared").getAsJsonArray("frames");
    JsonArray profiles = file.getAsJsonArray("profiles");
    int active = file.get("activeProfileIndex").getAsInt();
    long busiest = profiles.get(active).getAsJsonObject().get("endValue").getAsLong();
    ExportedStacks stacks = new ExportedStacks();
    for (JsonElement each : profiles) {
      JsonObject profile = each.getAsJsonObject();
      assertTrue(profile.get("endValue").getAsLong() <= busiest, "the busiest is shown first");
      assertEquals("sampled", profile.get("type").getAsString());
      assertEquals("nanoseconds", profile.get("unit").getAsString());
      String thread =
          profile.get("name").getAsString().replaceFirst(" \\((tid|virtual) \\d+\\)$", "");
      if (recording.sessions().size() > 1) {
        thread = thread.substring(thread.indexOf(' ') + 1);
      }
      JsonArray samples = profile.getAsJsonArray("samples");
      JsonArray weights = profile.getAsJsonArray("weights");
      assertEquals(samples.size(), weights.size());
      long all = 0;
      for (int i = 0; i < samples.size(); i++) {
        List<String> names = new ArrayList<>();
        for (JsonElement frame : samples.get(i).getAsJsonArray()) {
          names.add(frames.get(frame.getAsInt()).getAsJsonObject().get("name").getAsString());
        }
        stacks.add(thread, names, 1, weights.get(i).getAsLong());
        all += weights.get(i).getAsLong();
        assertTrue(i == 0 || !samples.get(i).equals(samples.get(i - 1)), "neighbours are one");
      }
      assertEquals(0, profile.get("startValue").getAsLong());
      assertEquals(all, profile.get("endValue").getAsLong());
    }
    return stacks;
  }

  /** By src/types/profile.ts of the profiler. */
  static ExportedStacks firefox(SampledRecording recording, Selection selection) throws Exception {
    JsonObject file = json(new FirefoxExport(ManyStacks.HOSTILE, selection), recording);
    JsonObject meta = file.getAsJsonObject("meta");
    assertEquals(70, meta.get("preprocessedProfileVersion").getAsInt());
    JsonObject shared = file.getAsJsonObject("shared");
    for (Map.Entry<String, JsonElement> table : shared.entrySet()) {
      if (table.getValue().isJsonObject()) {
        columnsHaveTheLength(table.getKey(), table.getValue().getAsJsonObject());
      }
    }
    JsonArray strings = shared.getAsJsonArray("stringArray");
    JsonObject stackTable = shared.getAsJsonObject("stackTable");
    JsonObject frameTable = shared.getAsJsonObject("frameTable");
    JsonObject funcTable = shared.getAsJsonObject("funcTable");
    JsonObject resources = shared.getAsJsonObject("resourceTable");
    for (int i = 0; i < length(frameTable); i++) {
      assertTrue(at(frameTable, "category", i) < meta.getAsJsonArray("categories").size());
    }
    for (int i = 0; i < length(funcTable); i++) {
      JsonElement source = funcTable.getAsJsonArray("source").get(i);
      JsonObject sources = shared.getAsJsonObject("sources");
      assertTrue(source.isJsonNull() || source.getAsInt() < length(sources));
    }
    ExportedStacks stacks = new ExportedStacks();
    double last = meta.get("profilingEndTime").getAsDouble();
    for (JsonElement each : file.getAsJsonArray("threads")) {
      JsonObject thread = each.getAsJsonObject();
      JsonObject samples = thread.getAsJsonObject("samples");
      columnsHaveTheLength("samples", samples);
      columnsHaveTheLength("markers", thread.getAsJsonObject("markers"));
      double before = 0;
      for (int i = 0; i < length(samples); i++) {
        double time = samples.getAsJsonArray("time").get(i).getAsDouble();
        assertTrue(time >= before && time <= last, "in the order of time");
        before = time;
        List<String> names = new ArrayList<>();
        int stack = at(samples, "stack", i);
        while (true) {
          int function = at(frameTable, "func", at(stackTable, "frame", stack));
          String name = strings.get(at(funcTable, "name", function)).getAsString();
          int resource = at(funcTable, "resource", function);
          String library =
              resource < 0 ? "" : strings.get(at(resources, "name", resource)).getAsString();
          // Names that have the library in them, and those whose library is shown beside them.
          boolean isWhole = resource < 0 || name.endsWith("]") || name.startsWith(library + "+");
          names.add(isWhole ? name : name + " [" + library + "]");
          int offset = at(stackTable, "prefixOffset", stack);
          if (offset == 0) {
            break;
          }
          assertTrue(offset > 0 && offset <= stack, "parents come before");
          stack -= offset;
        }
        Collections.reverse(names);
        BigDecimal millis = samples.getAsJsonArray("weight").get(i).getAsBigDecimal();
        long nanos = millis.movePointRight(6).longValueExact();
        assertEquals(nanos, samples.getAsJsonArray("threadCPUDelta").get(i).getAsLong());
        stacks.add(thread.get("name").getAsString(), names, 1, nanos);
      }
    }
    return stacks;
  }

  private static void columnsHaveTheLength(String name, JsonObject table) {
    for (Map.Entry<String, JsonElement> column : table.entrySet()) {
      if (column.getValue().isJsonArray()) {
        assertEquals(
            length(table), column.getValue().getAsJsonArray().size(), name + "." + column.getKey());
      }
    }
  }

  private static int length(JsonObject table) {
    return table.get("length").getAsInt();
  }

  private static int at(JsonObject table, String column, int index) {
    return (int) table.getAsJsonArray(column).get(index).getAsLong();
  }

  private static JsonObject json(Export<SampledRecording> export, SampledRecording recording)
      throws Exception {
    String text = new String(ExportedStacks.bytes(export, recording), StandardCharsets.UTF_8);
    assertFalse(text.contains("<") || text.contains("\u2028"), "escaped");
    return JsonParser.parseString(text).getAsJsonObject();
  }
}
