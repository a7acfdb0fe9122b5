package stackweave.maps.symbols;

import stackweave.maps.demangle.Demangler;

/**
 * The function symbols of one module by address; addresses are ELF virtual addresses.
 *
 * <p>A symbol counts only inside its size: the nearest symbol below an address is not its name when
 * it ends before. What has no size reaches to the next symbol of its section, but not in a stripped
 * module, where most functions have no symbol at all.
 *
 * <p>A look-up puts the symbols around its address in order, if none has done so before, and
 * allocates nothing where they are. Belongs to one thread.
 */
public final class SymbolTable {
  /** No symbol covers the address. */
  public static final int NONE = -1;

  public static final SymbolTable EMPTY = new SymbolTable(null);

  /** Null where there are no symbols. */
  private final SymbolBuckets buckets;

  SymbolTable(SymbolBuckets buckets) {
    this.buckets = buckets;
  }

  /** Whether there is no function symbol. */
  public boolean isEmpty() {
    return buckets == null;
  }

  /**
   * The symbol after another one by address, for tools that want all.
   *
   * @param symbol a symbol, or {@link #NONE} for the first one
   * @return {@link #NONE} behind the last one
   */
  public int next(int symbol) {
    if (buckets == null) {
      return NONE;
    }
    int bucket = symbol == NONE ? 0 : buckets.of(buckets.start(symbol));
    int next = symbol == NONE ? buckets.first(0) : symbol + 1;
    while (next >= buckets.end(bucket)) {
      bucket = buckets.after(bucket);
      if (bucket == buckets.count()) {
        return NONE;
      }
      next = buckets.first(bucket);
    }
    return next;
  }

  /**
   * The symbol that covers an address, the innermost if several do. Does not allocate.
   *
   * @param address an ELF virtual address
   * @return its number, the same as long as this table exists, or {@link #NONE}
   */
  public int find(long address) {
    if (buckets == null) {
      return NONE;
    }
    long wanted = address - buckets.base();
    if (wanted < 0 || wanted > SymbolBuckets.MAX_SPAN) {
      return NONE;
    }
    boolean met = false;
    int looked = 0;
    for (int bucket = buckets.of(wanted); bucket >= 0; bucket = buckets.before(bucket)) {
      // The last one below the address may cover it even if the file says no size of it.
      if (met && buckets.reach(bucket) <= wanted) {
        return NONE;
      }
      if (++looked == SymbolBuckets.MANY) {
        buckets.finish();
      }
      int first = buckets.first(bucket);
      for (int i = buckets.floor(bucket, wanted); i >= first; i--) {
        if (wanted < buckets.start(i) + buckets.size(i)) {
          return i;
        }
        if (!met && buckets.reach(bucket) <= wanted) {
          return NONE;
        }
        met = true;
      }
    }
    return NONE;
  }

  /** The highest end of a symbol that starts at or below an address; −1 if none does. */
  public long endBelow(long address) {
    if (buckets == null || address - buckets.base() < 0) {
      return -1;
    }
    long wanted = Math.min(address - buckets.base(), SymbolBuckets.MAX_SPAN);
    long highest = -1;
    for (int bucket = buckets.of(wanted); bucket >= 0; bucket = buckets.before(bucket)) {
      if (highest >= 0 && buckets.reach(bucket) <= highest) {
        break;
      }
      int first = buckets.first(bucket);
      for (int i = buckets.floor(bucket, wanted); i >= first; i--) {
        highest = Math.max(highest, buckets.start(i) + buckets.size(i));
      }
    }
    return highest < 0 ? -1 : buckets.base() + highest;
  }

  /** The start of the first symbol above an address; −1 if there is none. */
  public long startAbove(long address) {
    if (buckets == null) {
      return -1;
    }
    long wanted = address - buckets.base();
    for (int bucket = wanted < 0 ? 0 : buckets.of(wanted);
        bucket < buckets.count();
        bucket = buckets.after(bucket)) {
      int above = wanted < 0 ? buckets.first(bucket) : buckets.floor(bucket, wanted) + 1;
      if (above < buckets.end(bucket)) {
        return start(above);
      }
    }
    return -1;
  }

  /** The first address of a symbol. */
  public long start(int symbol) {
    return buckets.base() + buckets.start(symbol);
  }

  /** The size of a symbol, in bytes. */
  public long size(int symbol) {
    return buckets.size(symbol);
  }

  /** Whether the file has the symbol's size; else it is taken to reach to the next symbol. */
  public boolean isSized(int symbol) {
    return buckets.isSized(symbol);
  }

  /** The name as in the file, which may be mangled. */
  public String rawName(int symbol) {
    return buckets.name(symbol);
  }

  /** The name for users, as {@link Demangler#shortName} makes it; not cached. */
  public String name(int symbol) {
    return Demangler.shortName(rawName(symbol));
  }
}
