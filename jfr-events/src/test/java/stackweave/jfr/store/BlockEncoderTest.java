package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.DefinitionBlock;
import stackweave.jfr.read.block.BlockPieces;
import stackweave.jfr.read.block.LibraryIds;
import stackweave.jfr.store.output.EventOutput;
import stackweave.jfr.store.output.JfrOutput;

/** Blocks as {@link BlockPieces} reads them. */
class BlockEncoderTest {
  /** Deflated they take more than what the encoder begins with. */
  private static final int LIBRARIES = 600;

  @TempDir private Path directory;

  /** Once seen where the heap was full: the encoder never came to an end of the next block. */
  @Test
  void aBlockThatFailedMidwayIsNotInTheNextOne() throws Exception {
    boolean[] full = {true};
    List<RecordedEvent> events;
    try (Recording recording = new Recording();
        BlockEncoder encoder =
            new BlockEncoder(
                bytes -> {
                  if (full[0]) {
                    // JUnit lets no test assert an OutOfMemoryError.
                    throw new IllegalStateException("as if the heap were full");
                  }
                  return Arrays.copyOf(bytes, 2 * bytes.length);
                })) {
      recording.start();
      gather(encoder, 1, LIBRARIES);
      EventOutput output = new JfrOutput();
      assertThrows(IllegalStateException.class, () -> encoder.commit(output));
      full[0] = false;
      encoder.commit(output);
      gather(encoder, LIBRARIES + 1, 1);
      encoder.commit(output);
      Path file = directory.resolve("r.jfr");
      recording.dump(file);
      events = RecordingFile.readAllEvents(file);
    }
    BlockPieces pieces = new BlockPieces();
    LibraryIds read = new LibraryIds();
    for (RecordedEvent event : events) {
      // Other tests may write blocks at the same time.
      if (event.getEventType().getName().equals(DefinitionBlock.NAME)
          && event.getThread().getJavaThreadId() == Thread.currentThread().getId()) {
        pieces.add(event, read);
      }
    }
    List<Long> sorted = new ArrayList<>(read.ids());
    Collections.sort(sorted);
    List<Long> all = new ArrayList<>();
    for (long id = 1; id <= LIBRARIES + 1; id++) {
      all.add(id);
    }
    assertEquals(all, sorted);
  }

  private static void gather(BlockEncoder encoder, long firstId, int count) {
    Random random = new Random(firstId);
    for (int i = 0; i < count; i++) {
      StringBuilder path = new StringBuilder();
      for (int c = 0; c < 60; c++) {
        path.append((char) ('A' + random.nextInt(50)));
      }
      ModuleDefinition module = new ModuleDefinition(path.toString(), "", 0, 0, "none", "", 0, "");
      encoder.library(firstId + i, module);
    }
  }
}
