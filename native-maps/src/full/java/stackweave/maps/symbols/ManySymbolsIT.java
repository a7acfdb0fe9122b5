package stackweave.maps.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.maps.RealLibraries;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.unwind.TableMemory;

/** As {@link ReferenceSymbolsTest} and {@link SymbolTableTest}, of more symbols. */
class ManySymbolsIT {
  static List<Path> libraries() {
    return RealLibraries.large();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void bucketsOfRealLibraries(Path library) throws Exception {
    ReferenceSymbolsTest.check(library);
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void functionsOfNm(Path library) throws Exception {
    new SymbolTableTest().everyFunctionOfNmIsFoundByItsFirstAndLastByte(library);
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void exportedNames(Path library) throws Exception {
    new SymbolTableTest().everyExportedNameIsFound(library);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void hostileTables(int seed) throws Exception {
    ReferenceSymbolsTest.checkHostile(seed, 1_500);
  }

  @Test
  void twoMillionSymbols() throws ElfFormatException {
    int count = (1 << 21) - 1;
    ByteBuffer bytes = ByteBuffer.allocate(24 * (count + 1)).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 1; i <= count; i++) {
      int place = (int) (i * 0x9E3779B1L & 0x1fffff);
      bytes.putInt(24 * i, 1).put(24 * i + 4, (byte) 0x12).putShort(24 * i + 6, (short) 1);
      bytes.putLong(24 * i + 8, 64L * place).putLong(24 * i + 16, 32);
    }
    Symbols made = new Symbols(bytes, ByteBuffer.wrap(new byte[] {0, 'f', 0}), List.of(), false);
    SymbolTable table = SymbolTableBuilder.build(List.of(made), TableMemory.HEAP);
    assertFalse(table.isEmpty());
    for (int i = 1; i <= count; i += 997) {
      long start = bytes.getLong(24 * i + 8);
      assertEquals(start, table.start(table.find(start + 31)));
      assertEquals(SymbolTable.NONE, table.find(start + 32));
    }
  }
}
