package stackweave.agent.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.process.SampledProcess;

/** What is known of libraries by their names alone. */
class SignalStacksTest {
  @TempDir private Path directory;

  @Test
  void librariesOfThisProcessAreNamedWithoutTheirDirectories() throws IOException {
    List<String> names = SignalStacks.names(SampledProcess.OWN);
    assertTrue(names.contains(System.mapLibraryName("jvm")), names::toString);
    assertTrue(names.contains(System.mapLibraryName("java")), names::toString);
    assertTrue(names.stream().noneMatch(name -> name.contains("/")), names::toString);
    assertEquals("", SignalStacks.heapStackLibrary(names));
    assertFalse(SignalStacks.unmaps(names));
  }

  /** Of a library whose code was moved onto huge pages, its data is mapped alone. */
  @Test
  void aLibraryCountsWithoutItsCodeButNoDataDoes() throws IOException {
    MappedByteBuffer library = map("libdnnl.so.3");
    MappedByteBuffer data = map("tensorflow.model");
    List<String> names = SignalStacks.names(SampledProcess.OWN);
    assertEquals(2, library.get(0) + data.get(0)); // which keeps both mapped until here
    assertTrue(names.contains("libdnnl.so.3"), names::toString);
    assertFalse(names.contains("tensorflow.model"), names::toString);
    assertEquals("libdnnl.so.3", SignalStacks.heapStackLibrary(names));
  }

  private MappedByteBuffer map(String name) throws IOException {
    Path file = Files.write(directory.resolve(name), new byte[] {1});
    try (FileChannel channel = FileChannel.open(file)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, 1);
    }
  }

  @Test
  void namesTellWhichLibrariesHarmSignals() {
    assertEquals("libTorch_CPU.so", SignalStacks.heapStackLibrary(List.of("a", "libTorch_CPU.so")));
    assertTrue(SignalStacks.unmaps(List.of("libwasmtime4j-1.so")));
    assertFalse(SignalStacks.unmaps(List.of("libwasm.so")));
  }
}
