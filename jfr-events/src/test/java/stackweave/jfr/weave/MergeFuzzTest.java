package stackweave.jfr.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static stackweave.jfr.chunk.ChunkBytes.bytes;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.chunk.ChunkBytes;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.Session;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.block.FirstSchema;

/** Recordings with bytes changed at random: none makes more than a RecordingException. */
class MergeFuzzTest {
  private static final int FLAG = 13;
  private static final int SAMPLE = 20;
  private static final int OWN = 100;
  private static final String KEY = "constantPool";
  private static final String ARRAY = "dimension";

  /** A chunk with all types of stack traces, a sample of JFR and one of ours. */
  private static byte[] chunk() {
    return new ChunkBytes()
        .type(FLAG, "boolean")
        .type(
            SAMPLE,
            "jdk.ExecutionSample",
            fields("startTime", "sampledThread=28", "stackTrace=21", "state=30"))
        .type(21, "jdk.types.StackTrace", "truncated", FLAG, "", "frames", 22, ARRAY)
        .type(
            22,
            "jdk.types.StackFrame",
            fields("method=23", "lineNumber", "bytecodeIndex", "type=29"))
        .type(
            23,
            "jdk.types.Method",
            "type",
            24,
            KEY,
            "name",
            26,
            KEY,
            "descriptor",
            26,
            KEY,
            "modifiers",
            ChunkBytes.INT,
            "",
            "hidden",
            FLAG,
            "")
        .type(24, "java.lang.Class", fields("classLoader=27", "name=26", "package=25", "modifiers"))
        .type(25, "jdk.types.Package", fields("name=26"))
        .type(26, "jdk.types.Symbol", "string", ChunkBytes.STRING, "")
        .type(27, "jdk.types.ClassLoader", fields("name=26"))
        .type(
            28,
            "java.lang.Thread",
            "osName",
            ChunkBytes.STRING,
            "",
            "osThreadId",
            ChunkBytes.LONG,
            "",
            "javaName",
            ChunkBytes.STRING,
            "",
            "javaThreadId",
            ChunkBytes.LONG,
            "")
        .type(29, "jdk.types.FrameType", "description", ChunkBytes.STRING, "")
        .type(30, "jdk.types.ThreadState", "name", ChunkBytes.STRING, "")
        .type(
            OWN,
            NativeSample.NAME,
            fields("startTime", "sampledThread=28", "threadId", "stackId", "end", "weight", "age"))
        .type(
            OWN + 1,
            FirstSchema.FRAME,
            fields("id", "parentId", "methodId", "kind", "line", "offset"))
        .type(
            OWN + 2,
            FirstSchema.METHOD,
            "id",
            ChunkBytes.LONG,
            "",
            "className",
            ChunkBytes.STRING,
            "",
            "name",
            ChunkBytes.STRING,
            "")
        .type(
            OWN + 3,
            FirstSchema.THREAD,
            "threadId",
            ChunkBytes.LONG,
            "",
            "name",
            ChunkBytes.STRING,
            "")
        .type(OWN + 4, Session.NAME, "uuid", ChunkBytes.STRING, "")
        .event(OWN + 4, bytes().text("session"))
        .event(OWN + 2, bytes().numbers(1).text("a.B").text("m"))
        .event(OWN + 3, bytes().numbers(1).text("t"))
        .event(OWN + 1, bytes().numbers(1, 0, 1, 0, 7, 0))
        .event(OWN, bytes().numbers(600, 5, 1, 1, 0, 10, 0))
        .event(SAMPLE, bytes().numbers(600, 5, 1, 5))
        .event(OWN, bytes().numbers(700, 0, 1, 0, 0, 10, 0))
        .checkpoint(
            0,
            bytes()
                .numbers(3, 28, 1, 5)
                .text("main")
                .numbers(9)
                .text("main")
                .numbers(1)
                .numbers(29, 1, 0)
                .text("Interpreted")
                .numbers(30, 1, 5)
                .text("STATE_RUNNABLE"))
        .build();
  }

  /** Numbers, and keys of the types behind an equals sign. */
  private static Object[] fields(String... names) {
    Object[] fields = new Object[3 * names.length];
    for (int i = 0; i < names.length; i++) {
      String[] parts = names[i].split("=");
      fields[3 * i] = parts[0];
      fields[3 * i + 1] = parts.length == 1 ? (Object) ChunkBytes.LONG : Integer.valueOf(parts[1]);
      fields[3 * i + 2] = parts.length == 1 ? "" : KEY;
    }
    return fields;
  }

  @Test
  void recordings(@TempDir Path seeds) throws Exception {
    makeSeeds(seeds);
    Random random = new Random(1);
    for (String name : List.of("one", "woven")) {
      byte[] seed = Files.readAllBytes(seeds.resolve(name));
      for (int i = 0; i < 150; i++) {
        byte[] bytes = seed.clone();
        for (int changes = random.nextInt(3); changes >= 0; changes--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        MergeFuzz.fuzzerTestOneInput(bytes);
      }
    }
  }

  /** Writes what {@link MergeFuzz} begins with. */
  static void makeSeeds(Path seeds) throws Exception {
    Path file = Files.write(seeds.resolve("one"), chunk());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    MergeReport report =
        RecordingMerge.of(List.of(file), MergeOptions.DEFAULT, ReadingProgress.NONE).writeTo(out);
    assertEquals(2, report.samples());
    assertEquals(1, report.jdkSamples());
    Files.write(seeds.resolve("woven"), out.toByteArray());
  }
}
