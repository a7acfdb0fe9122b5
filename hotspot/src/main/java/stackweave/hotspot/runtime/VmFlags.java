package stackweave.hotspot.runtime;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import stackweave.hotspot.memory.MemoryPages;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** The VM's options that are on or off, as {@code -XX:+PrintFlagsFinal} has them. */
public final class VmFlags {
  private static final int MAX_FLAGS = 1 << 12;

  private VmFlags() {}

  /**
   * Reads the flags whose names match; takes some milliseconds.
   *
   * @return whether each is on; empty where the JDK does not describe its flags
   */
  public static Map<String, Boolean> read(Layout layout, MemoryReader memory, Pattern wanted)
      throws UnreadableMemoryException {
    Map<String, Boolean> found = new HashMap<>();
    if (layout.flags == null
        || layout.flagCount == null
        || layout.flagName == null
        || layout.flagValue == null
        || layout.flagSize == 0) {
      return found;
    }
    MemoryPages names = new MemoryPages(memory);
    long flag = memory.readLong(layout.flags.offset());
    long count = Math.min(MAX_FLAGS, memory.readLong(layout.flagCount.offset()));
    for (long i = 0; i < count; i++, flag += layout.flagSize) {
      String name = names.string(names.readLong(flag + layout.flagName.offset()));
      if (name != null && wanted.matcher(name).matches()) {
        long value = memory.readLong(names.readLong(flag + layout.flagValue.offset()));
        found.put(name, (value & 0xff) != 0);
      }
    }
    return found;
  }
}
