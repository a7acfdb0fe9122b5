package stackweave.fleet.ingest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalCopyTest {
  private static final int BYTES = 200_000;

  @TempDir private Path directory;

  private final byte[] content = new byte[BYTES];

  LocalCopyTest() {
    new Random(1).nextBytes(content);
  }

  private static String sha256(byte[] bytes, int length) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(bytes, 0, length);
    return HexFormat.of().formatHex(digest.digest());
  }

  private static byte[] packed(byte[] bytes) throws Exception {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(all)) {
      out.write(bytes);
    }
    return all.toByteArray();
  }

  private LocalCopy copy(String name, byte[] bytes, List<Long> beginnings, long most)
      throws Exception {
    Path file = Files.write(directory.resolve(name), bytes);
    long modified = Files.getLastModifiedTime(file).toMillis();
    InputFile input = new InputFile(0, file.toUri().toString(), bytes.length, modified);
    return LocalCopy.of(input, beginnings, most, new Configuration());
  }

  @Test
  void hashesAreOfWhatIsUnpacked() throws Exception {
    List<Long> beginnings = List.of(65_536L, 1L, 0L, (long) BYTES, 65_537L, BYTES + 1L);
    Map<Long, String> hashes =
        Map.of(
            0L,
            sha256(content, 0),
            1L,
            sha256(content, 1),
            65_536L,
            sha256(content, 65_536),
            65_537L,
            sha256(content, 65_537),
            (long) BYTES,
            sha256(content, BYTES));
    for (LocalCopy copy :
        List.of(
            copy("a.jfr", content, beginnings, BYTES),
            copy("a.jfr.gz", packed(content), beginnings, BYTES))) {
      try (copy) {
        assertArrayEquals(content, Files.readAllBytes(copy.file()));
        assertEquals(sha256(content, BYTES), copy.sha256());
        assertEquals(hashes, copy.hashOfBeginning());
        assertEquals(BYTES, copy.bytes());
        assertEquals("", copy.damage());
        assertEquals("", copy.incomplete());
      }
      assertFalse(Files.exists(copy.file()));
    }
  }

  @Test
  void whatIsCutShortSaysSo() throws Exception {
    byte[] cut = Arrays.copyOf(packed(content), BYTES / 2);
    try (LocalCopy copy = copy("a.jfr.gz", cut, List.of(), BYTES)) {
      assertTrue(copy.damage().startsWith("can't be unpacked to its end"), copy.damage());
      assertTrue(copy.bytes() > 0 && copy.bytes() < BYTES, "" + copy.bytes());
    }
    try (LocalCopy copy = copy("b.jfr.gz", new byte[] {1, 2, 3}, List.of(), BYTES)) {
      assertTrue(copy.damage().startsWith("can't be unpacked"), copy.damage());
    }
  }

  @Test
  void theLimitIsOfWhatIsUnpacked() throws Exception {
    byte[] zeros = new byte[10 * BYTES];
    try (LocalCopy copy = copy("a.jfr.gz", packed(zeros), List.of(), BYTES)) {
      assertTrue(copy.incomplete().startsWith("is larger than"), copy.incomplete());
      assertTrue(Files.size(copy.file()) <= BYTES);
    }
  }

  @Test
  void whatIsNotAsItWasListedSaysSo() throws Exception {
    Path file = Files.write(directory.resolve("a.jfr"), content);
    long modified = Files.getLastModifiedTime(file).toMillis();
    String path = file.toUri().toString();
    for (InputFile listed :
        List.of(
            new InputFile(0, path, BYTES - 1, modified),
            new InputFile(0, path, BYTES, modified - 1))) {
      try (LocalCopy copy = LocalCopy.of(listed, List.of(), BYTES, new Configuration())) {
        assertTrue(copy.incomplete().startsWith("changed while"), copy.incomplete());
      }
    }
  }

  @Test
  void aMissingFileLeavesNothing() {
    InputFile input = new InputFile(0, directory.resolve("no.jfr").toUri().toString(), 1, 0);
    assertThrows(
        FileNotFoundException.class,
        () -> LocalCopy.of(input, List.of(), BYTES, new Configuration()));
  }
}
