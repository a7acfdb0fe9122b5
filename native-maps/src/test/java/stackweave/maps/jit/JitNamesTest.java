package stackweave.maps.jit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.maps.jit.JitFormatException.Reason;
import stackweave.testing.Commands;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** Names of generated code, from each of the sources. */
class JitNamesTest {
  private static final long DESCRIPTOR = 0x1000;
  private static final long ENTRY = 0x2000;

  private final JitSymbols symbols = new JitSymbols();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private String nameAt(long pc) {
    int function = symbols.find(pc);
    return function == JitSymbols.NONE ? "" : symbols.name(function);
  }

  @Test
  void aPerfMapHasLines() throws JitFormatException {
    PerfMap.read(
        bytes(
            """
            7f0000001000 40 JS:~fib script.js:1
            0x7f0000000800 0x10 first
            no line
            7f0000002000 zz broken
            7f0000003000 0 empty
            7f0000001000 20 JS:*fib script.js:1
            7f0000004000 10 last, not written to its end"""),
        symbols);
    symbols.finish();
    assertEquals(3, symbols.count());
    assertEquals("first", nameAt(0x7f0000000800L));
    assertEquals("", nameAt(0x7f0000000810L));
    assertEquals("JS:*fib script.js:1", nameAt(0x7f0000001010L), "told last");
    assertEquals("JS:~fib script.js:1", nameAt(0x7f0000001030L));
    assertEquals(0x7f0000001000L, symbols.start(symbols.find(0x7f0000001030L)));
    assertEquals("", nameAt(0x7f0000004000L));
    assertEquals("", nameAt(0x7effffffffffL));
  }

  @Test
  void manyAreFoundAsByAMapOfAnotherKind() throws JitFormatException {
    java.util.SplittableRandom random = new java.util.SplittableRandom(3);
    TreeMap<Long, String> expected = new TreeMap<>();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      long start = 0x10_0000L + random.nextInt(1 << 14) * 64L;
      expected.put(start, "f" + i);
      lines.append(String.format("%x 40 f%d%n", start, i));
    }
    PerfMap.read(bytes(lines.toString()), symbols);
    symbols.finish();
    expected.forEach((start, name) -> assertEquals(name, nameAt(start + 63)));
  }

  @Test
  void namesHaveNoControlCharacters() throws JitFormatException {
    PerfMap.read(bytes("10 10 a\u001b[31mb\tc\n"), symbols);
    symbols.finish();
    assertEquals("a?[31mb?c", nameAt(0x10));
  }

  private static ByteBuffer dump() {
    ByteBuffer file = ByteBuffer.allocate(4096).order(ByteOrder.nativeOrder());
    return file.putInt(0x4A695444).putInt(1).putInt(40).putInt(62).position(40);
  }

  private static void load(ByteBuffer file, long address, long size, String name) {
    int begin = file.position();
    file.putInt(0).putInt(0).putLong(1).putInt(7).putInt(8);
    file.putLong(address).putLong(address).putLong(size).putLong(0);
    file.put(bytes(name)).put((byte) 0).put(new byte[(int) size]);
    file.putInt(begin + 4, file.position() - begin);
  }

  private static byte[] written(ByteBuffer file) {
    byte[] bytes = new byte[file.position()];
    file.get(0, bytes);
    return bytes;
  }

  @Test
  void aJitDumpHasRecords() throws JitFormatException {
    ByteBuffer file = dump();
    load(file, 0x7000, 32, "loaded");
    file.putInt(2).putInt(16).putLong(1); // debug information, left out
    load(file, 0x8000, 16, "moved");
    file.putInt(1).putInt(64).putLong(1).putInt(7).putInt(8);
    file.putLong(0).putLong(0x8000).putLong(0x9000).putLong(16).putLong(0);
    load(file, 0xa000, 16, "half");
    byte[] whole = written(file);
    JitDump.read(java.util.Arrays.copyOf(whole, whole.length - 1), symbols);
    symbols.finish();
    assertEquals("loaded", nameAt(0x701f));
    assertEquals("", nameAt(0x7020));
    assertEquals("moved", nameAt(0x9001));
    assertEquals("", nameAt(0xa000));
  }

  @Test
  void whatIsNoJitDumpIsRefused() {
    assertRefused(Reason.TRUNCATED, new byte[39]);
    assertRefused(Reason.BAD_MAGIC, new byte[40]);
    ByteBuffer version = dump();
    version.putInt(4, 3);
    assertRefused(Reason.UNKNOWN_VERSION, written(version));
    ByteBuffer record = dump();
    record.putInt(0).putInt(15).putLong(0);
    assertRefused(Reason.BAD_RECORD, written(record));
    ByteBuffer load = dump();
    load.putInt(0).putInt(20).putLong(0).putInt(0);
    assertRefused(Reason.BAD_RECORD, written(load));
  }

  private void assertRefused(Reason reason, byte[] file) {
    JitFormatException e =
        assertThrows(JitFormatException.class, () -> JitDump.read(file, new JitSymbols()));
    assertEquals(reason, e.reason());
  }

  /** Memory with a descriptor, and a list of objects that are the same one. */
  private static MemoryReader memory(byte[] object, int objects, boolean circle) {
    ByteBuffer bytes = ByteBuffer.allocate(0x1000 + object.length + objects * 64);
    bytes.order(ByteOrder.nativeOrder());
    long at = ENTRY + 32L * objects;
    bytes.putInt(0, 1).putLong(16, ENTRY);
    for (int i = 0; i < objects; i++) {
      long next = i < objects - 1 ? ENTRY + 32L * (i + 1) : circle ? ENTRY : 0;
      int entry = 0x1000 + 32 * i;
      bytes.putLong(entry, next).putLong(entry + 16, at).putLong(entry + 24, object.length);
    }
    bytes.put((int) (at - DESCRIPTOR), object);
    return new MemoryReader() {
      @Override
      public long readLong(long address) throws UnreadableMemoryException {
        byte[] word = new byte[8];
        read(address, word, 0, 8);
        return ByteBuffer.wrap(word).order(ByteOrder.nativeOrder()).getLong();
      }

      @Override
      public void read(long address, byte[] target, int offset, int length)
          throws UnreadableMemoryException {
        if (address < DESCRIPTOR || address - DESCRIPTOR > bytes.limit() - length) {
          throw UnreadableMemoryException.UNREADABLE;
        }
        bytes.get((int) (address - DESCRIPTOR), target, offset, length);
      }
    };
  }

  /** Compiled by gcc; what nm says of it must be found. */
  @Test
  void anObjectOfTheJitInterfaceHasItsSymbols(@TempDir Path directory) throws Exception {
    Path source = directory.resolve("jitted.c");
    Files.writeString(source, "int one(int x) { return x + 1; } int two(int x) { return x * 3; }");
    for (String kind : new String[] {"-shared", "-c"}) {
      Path object = directory.resolve("jitted" + kind);
      Commands.output("gcc", "-O1", kind, "-o", object.toString(), source.toString());
      byte[] elf = Files.readAllBytes(object);
      long base = kind.equals("-c") ? 0x70000 : 0;
      if (base != 0) {
        placeText(elf, base);
      }
      JitSymbols read = new JitSymbols();
      GdbJit.read(memory(elf, 1, false), DESCRIPTOR, "libjit.so", read);
      read.finish();
      int found = 0;
      for (String line : Commands.output("nm", object.toString()).split("\n")) {
        String[] fields = line.split(" ");
        if (fields.length == 3 && (fields[2].equals("one") || fields[2].equals("two"))) {
          int function = read.find(base + Long.parseLong(fields[0], 16));
          assertEquals(fields[2], function < 0 ? "" : read.name(function), kind);
          assertEquals("libjit.so", read.owner(function));
          found++;
        }
      }
      assertEquals(2, found, kind);
    }
  }

  /** Sets sh_addr of .text, as engines do with relocatable objects: it is the first section. */
  private static void placeText(byte[] elf, long address) {
    ByteBuffer bytes = ByteBuffer.wrap(elf).order(ByteOrder.nativeOrder());
    bytes.putLong((int) bytes.getLong(40) + 64 + 16, address);
  }

  @Test
  void aListThatNeverEndsIsLeft() {
    byte[] nothing = new byte[64];
    JitFormatException e =
        assertThrows(
            JitFormatException.class,
            () -> GdbJit.read(memory(nothing, 3, true), DESCRIPTOR, "", symbols));
    assertEquals(Reason.TOO_MANY, e.reason());
    assertThrows(
        JitFormatException.class, () -> GdbJit.signature(memory(nothing, 3, true), DESCRIPTOR));
    assertThrows(
        JitFormatException.class,
        () -> GdbJit.signature(memory(nothing, GdbJit.MAX_OBJECTS + 1, false), DESCRIPTOR));
  }

  @Test
  void theSignatureChangesWithTheList() throws Exception {
    byte[] nothing = new byte[64];
    long one = GdbJit.signature(memory(nothing, 1, false), DESCRIPTOR);
    assertEquals(one, GdbJit.signature(memory(nothing, 1, false), DESCRIPTOR));
    assertTrue(one != GdbJit.signature(memory(nothing, 2, false), DESCRIPTOR));
  }

  @Test
  void aDescriptorThatLeadsNowhereIsUnreadable() {
    assertThrows(
        UnreadableMemoryException.class,
        () -> GdbJit.read(memory(new byte[0], 1, false), 0x900, "", symbols));
  }

  @Test
  void namesAreBounded() {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    byte[] line = bytes("1000 10 f\n");
    for (int i = 0; i <= JitSymbols.MAX_NAMES; i++) {
      lines.write(line, 0, line.length);
    }
    JitFormatException e =
        assertThrows(
            JitFormatException.class, () -> PerfMap.read(lines.toByteArray(), new JitSymbols()));
    assertEquals(Reason.TOO_MANY, e.reason());
  }
}
