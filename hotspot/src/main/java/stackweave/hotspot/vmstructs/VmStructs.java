package stackweave.hotspot.vmstructs;

import java.util.HashMap;
import java.util.Map;
import stackweave.hotspot.memory.MemoryPages;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * What libjvm says about its own structures: fields, type sizes and constants by name, read from
 * the tables that it exports for the Serviceability Agent (HotSpot's {@code vmStructs.hpp}, same
 * form from JDK 8 to 25). Immutable once read.
 */
public final class VmStructs {
  /** Entries of a table: JDK 21 has 813 in its largest. One that lies may have no end. */
  private static final int MAX_ENTRIES = 1 << 13;

  /** Fields by type, then by name. */
  private final Map<String, Map<String, Field>> fields = new HashMap<>();

  /** Width and sign by the type of a value, at offset 0. */
  private final Map<String, Field> described = new HashMap<>();

  private final Map<String, Long> sizes = new HashMap<>();
  private final Map<String, Long> constants = new HashMap<>();

  private final SymbolAddresses symbols;
  private final MemoryPages memory;

  private VmStructs(SymbolAddresses symbols, MemoryReader memory) {
    this.symbols = symbols;
    this.memory = new MemoryPages(memory);
  }

  /**
   * Reads the tables.
   *
   * @throws UnsupportedVmException if libjvm exports no such tables, or they can't be read
   */
  public static VmStructs read(SymbolAddresses symbols, MemoryReader memory)
      throws UnsupportedVmException {
    VmStructs structs = new VmStructs(symbols, memory);
    try {
      // Sizes first: a field's width may be that of a type in the table.
      structs.readTypes();
      structs.readFields();
      structs.readConstants("Int", 4);
      structs.readConstants("Long", 8);
    } catch (UnreadableMemoryException e) {
      throw new UnsupportedVmException("its vmStructs can't be read (" + e.reason().label() + ")");
    }
    return structs;
  }

  /** The field, or null if this VM describes none of that name. */
  public Field field(String type, String name) {
    Map<String, Field> ofType = fields.get(type);
    return ofType == null ? null : ofType.get(name);
  }

  /** Size of a type in bytes, or null. */
  Long sizeOf(String type) {
    return sizes.get(type);
  }

  /** An int or long constant, or null. */
  Long constant(String name) {
    return constants.get(name);
  }

  private void readFields() throws UnsupportedVmException, UnreadableMemoryException {
    long stride = word("gHotSpotVMStructEntryArrayStride");
    long typeName = word("gHotSpotVMStructEntryTypeNameOffset");
    long fieldName = word("gHotSpotVMStructEntryFieldNameOffset");
    long typeString = word("gHotSpotVMStructEntryTypeStringOffset");
    long isStatic = word("gHotSpotVMStructEntryIsStaticOffset");
    long offset = word("gHotSpotVMStructEntryOffsetOffset");
    long staticAddress = word("gHotSpotVMStructEntryAddressOffset");
    long lastType = 0;
    Map<String, Field> ofType = Map.of();
    long entry = word("gHotSpotVMStructs");
    for (int count = 0; ; count++, entry += stride) {
      checkCount(count);
      long type = memory.readLong(entry + typeName);
      if (type == 0) {
        described.clear();
        return;
      }
      if (type != lastType) {
        lastType = type;
        ofType = fields.computeIfAbsent(memory.string(type), name -> new HashMap<>());
      }
      String name = memory.string(memory.readLong(entry + fieldName));
      String valueType = memory.string(memory.readLong(entry + typeString));
      boolean inClass = (int) memory.readLong(entry + isStatic) != 0;
      long at = memory.readLong(entry + (inClass ? staticAddress : offset));
      Field like = described.get(valueType);
      if (like == null) {
        like = describe(0, valueType);
        described.put(valueType, like);
      }
      ofType.put(name, new Field(at, like.width(), like.signed()));
    }
  }

  private void readTypes() throws UnsupportedVmException, UnreadableMemoryException {
    long stride = word("gHotSpotVMTypeEntryArrayStride");
    long typeName = word("gHotSpotVMTypeEntryTypeNameOffset");
    long size = word("gHotSpotVMTypeEntrySizeOffset");
    long entry = word("gHotSpotVMTypes");
    for (int count = 0; ; count++, entry += stride) {
      checkCount(count);
      String type = memory.string(memory.readLong(entry + typeName));
      if (type == null) {
        return;
      }
      sizes.put(type, memory.readLong(entry + size));
    }
  }

  private void readConstants(String kind, int width)
      throws UnsupportedVmException, UnreadableMemoryException {
    long stride = word("gHotSpotVM" + kind + "ConstantEntryArrayStride");
    long nameOffset = word("gHotSpotVM" + kind + "ConstantEntryNameOffset");
    long valueOffset = word("gHotSpotVM" + kind + "ConstantEntryValueOffset");
    long entry = word("gHotSpotVM" + kind + "Constants");
    for (int count = 0; ; count++, entry += stride) {
      checkCount(count);
      String name = memory.string(memory.readLong(entry + nameOffset));
      if (name == null) {
        return;
      }
      long value = memory.readLong(entry + valueOffset);
      constants.put(name, width == 4 ? (int) value : value);
    }
  }

  private static void checkCount(int count) throws UnsupportedVmException {
    if (count == MAX_ENTRIES) {
      throw new UnsupportedVmException("its vmStructs have no end");
    }
  }

  private long word(String symbol) throws UnsupportedVmException, UnreadableMemoryException {
    long address = symbols.addressOf(symbol);
    if (address == 0) {
      throw new UnsupportedVmException("missing symbol " + symbol);
    }
    return memory.readLong(address);
  }

  private Field describe(long offset, String valueType) {
    String type = valueType == null ? "" : valueType;
    type = type.replace("volatile ", "").replace("const ", "").trim();
    return switch (type) {
      case "bool", "u1", "uint8_t", "unsigned char" -> new Field(offset, 1, false);
      case "jbyte", "int8_t", "signed char", "char" -> new Field(offset, 1, true);
      case "u2", "uint16_t", "jushort", "unsigned short" -> new Field(offset, 2, false);
      case "jshort", "int16_t", "short" -> new Field(offset, 2, true);
      case "u4", "uint32_t", "juint", "uint", "unsigned int" -> new Field(offset, 4, false);
      case "jint", "int32_t", "int", "pid_t", "ByteSize" -> new Field(offset, 4, true);
      default -> new Field(offset, widthOf(type), false);
    };
  }

  private int widthOf(String type) {
    Long size = type.endsWith("*") ? null : sizes.get(type);
    return size != null && (size == 1 || size == 2 || size == 4) ? size.intValue() : 8;
  }
}
