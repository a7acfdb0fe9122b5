package stackweave.maps.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.maps.RealLibraries;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfHeaders.SectionHeader;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.FileElfImage;
import stackweave.unwind.TableMemory;

/** A symbol table says the same as the reference. */
class ReferenceSymbolsTest {
  private static final long TEXT = 0x1000;
  private static final int FUNC = 2;
  private static final int NOTYPE = 0;

  /** A made-up symbol table. */
  private static final class Table {
    private final ByteArrayOutputStream names = new ByteArrayOutputStream();
    private final List<long[]> symbols = new ArrayList<>();
    private final ByteOrder order;

    Table(ByteOrder order) {
      this.order = order;
      names.write(0);
    }

    Table add(long address, long size, int type, int binding, int section, String name) {
      symbols.add(new long[] {address, size, binding << 4 | type, section, names.size()});
      names.writeBytes(name.getBytes(StandardCharsets.UTF_8));
      names.write(0);
      return this;
    }

    Table function(long address, long size, String name) {
      return add(address, size, FUNC, 1, 1, name);
    }

    Symbols made(long textSize) {
      ByteBuffer table = ByteBuffer.allocate(24 * (symbols.size() + 1)).order(order);
      for (int i = 0; i < symbols.size(); i++) {
        long[] s = symbols.get(i);
        int at = 24 * (i + 1);
        table.putInt(at, (int) s[4]).put(at + 4, (byte) s[2]).putShort(at + 6, (short) s[3]);
        table.putLong(at + 8, s[0]).putLong(at + 16, s[1]);
      }
      List<SectionHeader> sections =
          List.of(
              new SectionHeader("", 0, 0, 0, 0, 0, 0, 0),
              new SectionHeader(".text", 1, 4, TEXT, 0, textSize, 0, 0),
              new SectionHeader(".data", 1, 0, TEXT, 0, textSize, 0, 0));
      return new Symbols(table, ByteBuffer.wrap(names.toByteArray()), sections, true);
    }
  }

  /** Asks both about all symbols, the bytes around their starts and ends, and some more. */
  private static void same(List<Symbols> tables, Random random) throws ElfFormatException {
    ReferenceSymbols expected = ReferenceSymbolsBuilder.build(tables, TableMemory.HEAP);
    TreeSet<Long> asked = new TreeSet<>(List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE));
    for (Symbols table : tables) {
      for (int at = 24; at < table.table().limit(); at += 24) {
        long start = table.table().getLong(at + 8);
        long end = start + table.table().getLong(at + 16);
        asked.addAll(List.of(start - 1, start, start + 1, end - 1, end, end + 1));
        asked.add(start + (random.nextInt() & 0xfffff));
      }
    }
    List<Long> shuffled = new ArrayList<>(asked);
    Collections.shuffle(shuffled, random);
    for (List<Long> order : List.of(shuffled, new ArrayList<>(asked.descendingSet()))) {
      SymbolTable actual = SymbolTableBuilder.build(tables, TableMemory.HEAP);
      assertEquals(expected.count(), actual.size());
      for (long address : order) {
        int symbol = actual.find(address);
        assertEquals(
            text(expected, expected.find(address)),
            symbol == SymbolTable.NONE
                ? "none"
                : text(
                    actual.start(symbol),
                    actual.size(symbol),
                    actual.isSized(symbol),
                    actual.rawName(symbol)),
            () -> Long.toHexString(address));
        assertEquals(expected.endBelow(address), actual.endBelow(address), "end below " + address);
        assertEquals(expected.startAbove(address), actual.startAbove(address), "above " + address);
      }
      int i = 0;
      for (int s = 0; s < actual.size(); s++) {
        assertEquals(
            text(expected, i++),
            text(actual.start(s), actual.size(s), actual.isSized(s), actual.rawName(s)));
      }
      assertEquals(expected.count(), i);
    }
  }

  private static String text(ReferenceSymbols table, int i) {
    return i == ReferenceSymbols.NONE
        ? "none"
        : text(table.start(i), table.size(i), table.isSized(i), table.rawName(i));
  }

  private static String text(long start, long size, boolean sized, String name) {
    return Long.toHexString(start) + " " + size + " " + sized + " " + name;
  }

  static List<Path> libraries() {
    return RealLibraries.small();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void realLibraries(Path library) throws ElfFormatException {
    check(library);
  }

  static void check(Path library) throws ElfFormatException {
    FileElfImage image = FileElfImage.open(library);
    List<Symbols> tables = new ArrayList<>();
    if (image.symtab() != null) {
      tables.add(image.symtab());
    }
    tables.add(image.dynsym());
    same(tables, new Random(1));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void hostileTables(int seed) throws ElfFormatException {
    checkHostile(seed, 300);
  }

  static void checkHostile(int seed, int symbols) throws ElfFormatException {
    Random random = new Random(seed);
    ByteOrder order = seed % 2 == 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    // Close together, so that they nest and share addresses; or far from each other.
    int range = 1 << (8 + 3 * seed);
    List<Symbols> tables = new ArrayList<>();
    for (int t = 0; t < 2; t++) {
      Table table = new Table(order);
      for (int i = 0; i < symbols; i++) {
        long address = TEXT + (random.nextInt() & (range - 1) & ~7);
        if (random.nextInt(100) == 0) {
          address += random.nextLong() & 0x1_ffff_ffffL;
        } else if (random.nextInt(200) == 0) {
          address = random.nextLong();
        }
        long size =
            switch (random.nextInt(8)) {
              case 0 -> 0;
              case 1 -> random.nextInt(range);
              case 2 -> random.nextInt(50) == 0 ? random.nextLong() : 3;
              default -> random.nextInt(64);
            };
        int[] types = {FUNC, FUNC, FUNC, NOTYPE, 10, 1};
        int section = random.nextInt(20) == 0 ? random.nextInt(5) : 1;
        String name = List.of("_", "__", "_Z", "$x", "", "a", "b").get(random.nextInt(7)) + i % 40;
        table.add(address, size, types[random.nextInt(6)], random.nextInt(3), section, name);
      }
      tables.add(table.made(range));
    }
    same(tables, random);
    same(tables.subList(0, 1), random);
  }

  /** A function that has lost its address to a shorter one, so that it covers nothing after all. */
  @Test
  void manyLabelsBehindAFunctionThatDoesNotCount() throws ElfFormatException {
    Table table = new Table(ByteOrder.LITTLE_ENDIAN);
    table.add(TEXT, 1 << 24, FUNC, 0, 1, "local_and_long");
    table.function(TEXT, 16, "global_and_short");
    for (int i = 1; i < 2_000; i++) {
      table.add(TEXT + 4096L * i, i % 3, NOTYPE, 1, 1, "label" + i);
    }
    same(List.of(table.made(1 << 24)), new Random(2));
  }

  /** Once found by the fuzzer: there was no label left where one had been met. */
  @Test
  void aLabelThatLosesItsAddressToAFunction() throws ElfFormatException {
    Table table = new Table(ByteOrder.LITTLE_ENDIAN);
    table.add(TEXT, 0, NOTYPE, 1, 1, "label").function(TEXT, 16, "function");
    same(List.of(table.made(1 << 12)), new Random(4));
  }

  @Test
  void labelsInsideOfAFunctionOfManyPages() throws ElfFormatException {
    Table table = new Table(ByteOrder.LITTLE_ENDIAN);
    table.function(TEXT, 500L * 4096, "outer");
    for (int i = 1; i < 650; i++) {
      table.add(TEXT + 4096L * i, 0, NOTYPE, 1, 1, "label" + i);
      table.function(TEXT + 4096L * i + 8, 8, "inner" + i);
    }
    same(List.of(table.made(1 << 24)), new Random(3));
  }

  @Test
  void noSymbolsAtAll() throws ElfFormatException {
    same(List.of(new Table(ByteOrder.LITTLE_ENDIAN).made(4096)), new Random(4));
    same(
        List.of(new Table(ByteOrder.LITTLE_ENDIAN).function(-8, 4, "negative").made(4096)),
        new Random(4));
    assertTrue(SymbolTable.EMPTY.isEmpty());
    assertEquals(-1, SymbolTable.EMPTY.endBelow(1));
    assertEquals(-1, SymbolTable.EMPTY.startAbove(1));
  }
}
