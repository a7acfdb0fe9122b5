package stackweave.agent.drain;

import java.util.function.Function;
import stackweave.agent.decode.ProcessView;
import stackweave.hotspot.memory.MemoryPages;
import stackweave.hotspot.vmstructs.SymbolAddresses;
import stackweave.unwind.UnreadableMemoryException;

/** The tables in which this JVM describes itself, as C: for one that describes itself as this. */
final class VmTables {
  private final SymbolAddresses libjvm;
  private final MemoryPages memory;

  VmTables(ProcessView own) {
    libjvm = own.libjvm();
    memory = new MemoryPages(own.memory());
  }

  private long word(String symbol) throws UnreadableMemoryException {
    return memory.readLong(libjvm.addressOf(symbol));
  }

  private String text(long at) throws UnreadableMemoryException {
    String text = memory.string(memory.readLong(at));
    return text == null ? "0" : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** An entry of a table as C. */
  @FunctionalInterface
  private interface Row {
    String at(long entry, Function<String, Long> offsets) throws UnreadableMemoryException;
  }

  private String table(String name, String symbol, String of, Row row)
      throws UnreadableMemoryException {
    StringBuilder c = new StringBuilder("static " + name + " = {\n");
    long entry = word(symbol);
    Function<String, Long> offsets =
        field -> {
          try {
            return word(of + field + "Offset");
          } catch (UnreadableMemoryException e) {
            throw new IllegalStateException(e);
          }
        };
    for (; memory.readLong(entry) != 0; entry += word(of + "ArrayStride")) {
      c.append("  {").append(row.at(entry, offsets)).append("},\n");
    }
    return c + "  {0}};\n";
  }

  private String field(long entry, Function<String, Long> offsets, int number)
      throws UnreadableMemoryException {
    boolean isStatic = (int) memory.readLong(entry + offsets.apply("IsStatic")) != 0;
    return text(entry + offsets.apply("TypeName"))
        + ", "
        + text(entry + offsets.apply("FieldName"))
        + ", "
        + text(entry + offsets.apply("TypeString"))
        + (isStatic
            ? ", 1, 0, &statics[" + number + "]"
            : ", 0, " + memory.readLong(entry + offsets.apply("Offset")) + ", 0");
  }

  /** All of them. */
  String c() throws UnreadableMemoryException {
    int[] count = new int[1];
    return "#define VERSION "
        + Runtime.version().feature()
        + "\n"
        + table(
            "struct field fields[]",
            "gHotSpotVMStructs",
            "gHotSpotVMStructEntry",
            (at, offsets) -> field(at, offsets, count[0]++))
        + table(
            "struct type types[]",
            "gHotSpotVMTypes",
            "gHotSpotVMTypeEntry",
            (at, offsets) ->
                text(at + offsets.apply("TypeName"))
                    + ", 0, 0, 0, 0, "
                    + memory.readLong(at + offsets.apply("Size")))
        + table(
            "struct int_constant int_constants[]",
            "gHotSpotVMIntConstants",
            "gHotSpotVMIntConstantEntry",
            (at, offsets) ->
                text(at + offsets.apply("Name"))
                    + ", "
                    + (int) memory.readLong(at + offsets.apply("Value")))
        + table(
            "struct long_constant long_constants[]",
            "gHotSpotVMLongConstants",
            "gHotSpotVMLongConstantEntry",
            (at, offsets) ->
                text(at + offsets.apply("Name"))
                    + ", "
                    + memory.readLong(at + offsets.apply("Value"))
                    + "ULL");
  }
}
