package stackweave.hotspot;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import stackweave.hotspot.memory.MemoryPages;
import stackweave.hotspot.vmstructs.SymbolAddresses;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** Memory in which one entry of vmStructs has another name: its first letter is missing. */
public final class HiddenEntry implements MemoryReader {
  private final MemoryReader memory;
  private final SymbolAddresses symbols;
  private final MemoryPages tables;
  private final List<Long> names = new ArrayList<>();

  /**
   * @param entry "Type::field", "sizeof(Type)" or the name of a constant
   */
  public HiddenEntry(SymbolAddresses symbols, MemoryReader memory, String entry)
      throws UnreadableMemoryException {
    this.memory = memory;
    this.symbols = symbols;
    this.tables = new MemoryPages(memory);
    if (entry.startsWith("sizeof(")) {
      find("Type", "TypeName", "", entry.substring(7, entry.length() - 1));
    } else {
      int colons = entry.lastIndexOf("::");
      String type = colons < 0 ? "" : entry.substring(0, colons);
      find("Struct", "FieldName", type, entry.substring(colons + 2));
      find("IntConstant", "Name", "", entry);
      find("LongConstant", "Name", "", entry);
    }
    if (names.isEmpty()) {
      throw new IllegalArgumentException("no entry " + entry);
    }
  }

  private void find(String table, String column, String type, String name)
      throws UnreadableMemoryException {
    String prefix = "gHotSpotVM" + table + "Entry";
    long stride = word(prefix + "ArrayStride");
    long nameOffset = word(prefix + column + "Offset");
    long typeOffset = type.isEmpty() ? nameOffset : word(prefix + "TypeNameOffset");
    for (long entry = word("gHotSpotVM" + table + "s"); ; entry += stride) {
      String text = tables.string(tables.readLong(entry + nameOffset));
      if (text == null) {
        return;
      }
      if (text.equals(name)
          && (type.isEmpty() || type.equals(tables.string(tables.readLong(entry + typeOffset))))) {
        names.add(entry + nameOffset);
      }
    }
  }

  private long word(String symbol) throws UnreadableMemoryException {
    return tables.readLong(symbols.addressOf(symbol));
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    byte[] bytes = new byte[8];
    read(address, bytes, 0, 8);
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    memory.read(address, target, offset, length);
    for (long name : names) {
      byte[] hidden = new byte[8];
      ByteBuffer.wrap(hidden).order(ByteOrder.LITTLE_ENDIAN).putLong(memory.readLong(name) + 1);
      for (int i = 0; i < hidden.length; i++) {
        long at = name + i - address;
        if (at >= 0 && at < length) {
          target[offset + (int) at] = hidden[i];
        }
      }
    }
  }
}
