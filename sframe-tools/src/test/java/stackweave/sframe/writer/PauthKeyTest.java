package stackweave.sframe.writer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import stackweave.unwind.Elf;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.unwind.table.UnwindSections;

/** The key of signed return addresses, from call frame information, as the assembler writes it. */
class PauthKeyTest {
  private static final int PREL32 = 261;
  private static final long CODE = 0x1000;

  @Test
  void functionsHaveTheKeyThatTheAssemblerGaveThem() throws Exception {
    for (String name : new String[] {"rel-simple-O2-pacfp", "rel-simple-O2-pacleaf"}) {
      Elf elf = Elf.read(Corpus.builtIn().resolve("aarch64-v3/" + name + ".elf"));
      SFrameConversion made =
          SFrameWriter.convert(
              new UnwindSections(null, null, relocated(elf), null, elf.architecture),
              3,
              ByteOrder.LITTLE_ENDIAN,
              0);
      SFrameSection section = SFrameSection.read(new Section(ByteBuffer.wrap(made.bytes()), 0));
      Map<Long, Boolean> keys = new TreeMap<>();
      SFrameFunction function = new SFrameFunction();
      for (int i = 0; i < section.functionCount(); i++) {
        section.open(i, function);
        keys.put(function.start() - CODE, function.isKeyB());
      }
      Map<Long, Boolean> expected = new TreeMap<>();
      for (String line :
          Files.readAllLines(Corpus.builtIn().resolve("aarch64-v3/" + name + ".tsv"))) {
        if (!line.startsWith("#")) {
          String[] columns = line.split("\t");
          expected.put(Long.parseLong(columns[1], 16), columns[7].contains("keyB"));
        }
      }
      assertEquals(expected, keys, name);
      assertEquals(name.equals("rel-simple-O2-pacfp"), keys.containsValue(true));
      assertTrue(keys.size() > 10);
    }
  }

  /** The call frame information of an object, with all code at {@link #CODE}. */
  private static Section relocated(Elf elf) {
    Section section = elf.section(".eh_frame");
    ByteBuffer bytes = ByteBuffer.allocate(section.bytes().limit()).order(elf.bytes.order());
    bytes.put(section.bytes().duplicate()).rewind();
    Elf.Header relocations = elf.header(".rela.eh_frame");
    Elf.Header symbols = elf.sections.get(relocations.link());
    int end = (int) (relocations.offset() + relocations.size());
    for (int at = (int) relocations.offset(); at < end; at += 24) {
      long info = elf.bytes.getLong(at + 8);
      assertEquals(PREL32, (int) info);
      int symbol = (int) symbols.offset() + (int) (info >>> 32) * 24;
      long target = elf.bytes.getLong(symbol + 8) + elf.bytes.getLong(at + 16);
      int field = (int) elf.bytes.getLong(at);
      bytes.putInt(field, (int) (CODE + target - field));
    }
    return new Section(bytes, 0);
  }
}
