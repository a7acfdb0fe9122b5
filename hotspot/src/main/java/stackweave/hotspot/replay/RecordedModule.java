package stackweave.hotspot.replay;

import java.util.Arrays;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;

/**
 * An executable range of a module, with the rules and symbols of the addresses that were met.
 *
 * @param start first address of the range
 * @param end first address behind it
 * @param bias runtime address minus ELF virtual address
 * @param source where the rules came from
 * @param addresses runtime addresses that were looked up, ascending
 * @param rules for each address the words of its rule ({@link RuleTable#words}); empty: none there
 * @param symbols for each address its function as {@code name+0xoffset}, or empty; a function
 *     without a name has its start in the file, as {@code 0xstart}
 */
record RecordedModule(
    String path,
    String buildId,
    long start,
    long end,
    long bias,
    UnwindSource source,
    long[] addresses,
    long[][] rules,
    String[] symbols) {

  /** The file's name without directories. */
  String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** The function at a runtime address, or the address in the file where it was not recorded. */
  String symbolAt(long address) {
    int i = Arrays.binarySearch(addresses, address);
    boolean hasName = i >= 0 && !symbols[i].isEmpty() && !symbols[i].startsWith("0x");
    return hasName ? symbols[i] : "0x" + Long.toHexString(address - bias);
  }

  /** Whether a runtime address lies in the range. */
  boolean holds(long address) {
    return Long.compareUnsigned(address, start) >= 0 && Long.compareUnsigned(address, end) < 0;
  }

  /** The unwind information of the addresses, whose rules go into {@code table}. */
  UnwindTable open(RuleTable table) {
    int[] ids = new int[rules.length];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = rules[i].length == 0 ? UnwindTable.NO_RULE : table.intern(rules[i]);
    }
    return new Rows(this, ids);
  }

  private record Rows(RecordedModule module, int[] ids) implements UnwindTable {
    @Override
    public int find(long address) {
      int i = Arrays.binarySearch(module.addresses, address + module.bias);
      return i < 0 ? NO_RULE : ids[i];
    }

    @Override
    public long functionStart(long address) {
      int i = Arrays.binarySearch(module.addresses, address + module.bias);
      String symbol = i < 0 ? "" : module.symbols[i];
      int offset = symbol.lastIndexOf("+0x");
      return offset < 0
          ? NO_ADDRESS
          : address - Long.parseUnsignedLong(symbol.substring(offset + 3), 16);
    }

    @Override
    public UnwindSource source() {
      return module.source;
    }
  }
}
