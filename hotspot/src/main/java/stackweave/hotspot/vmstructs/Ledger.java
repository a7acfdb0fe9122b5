package stackweave.hotspot.vmstructs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * Looks up fields, sizes and constants in vmStructs, each under all names that JDKs have for it,
 * and keeps a list of the look-ups: what was asked for, what this VM has, what it lacks. The base
 * of {@link Layout}; docs/jdk-layout.md is checked against the list.
 */
public abstract class Ledger {
  /** What an address kept as an offset counts from. */
  public enum Base {
    ABSOLUTE,
    BLOB,
    CODE,
    DATA,
    IMMUTABLE_DATA,
    MUTABLE_DATA
  }

  /** A place that some JDKs keep as an address and others as an offset. */
  public record Place(Field field, Base base) {}

  /** A name, and what an address kept under that name counts from. */
  record Name(String name, Base base) {}

  /**
   * One look-up.
   *
   * @param names by any of which JDKs know it
   * @param required whether there are no Java frames without it
   * @param found the name that this VM has for it, or null
   * @param type as the VM says: such as {@code i32} or {@code u64}, {@code size}, {@code constant}
   */
  public record Entry(List<String> names, boolean required, String found, String type) {

    /** Its names, for a message that it is missing. */
    public String text() {
      return String.join(" or ", names);
    }
  }

  /** Larger than any structure that is read as a whole. */
  private static final long MAX_SIZE = 1 << 16;

  /** Null once the look-ups have ended: it is some 600 KiB. */
  private VmStructs structs;

  private final List<Entry> entries = new ArrayList<>();

  /** The JDK's version, for what is not described. */
  public final JdkVersion version;

  Ledger(VmStructs structs, JdkVersion version) {
    this.structs = structs;
    this.version = version;
  }

  /** All look-ups so far. */
  public final List<Entry> entries() {
    return Collections.unmodifiableList(entries);
  }

  /**
   * Ends the look-ups, and forgets what they were made in.
   *
   * @throws UnsupportedVmException naming all that is required and missing
   */
  final void requireAll() throws UnsupportedVmException {
    structs = null;
    List<String> missing = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.required && entry.found == null) {
        missing.add(entry.text());
      }
    }
    if (!missing.isEmpty()) {
      throw new UnsupportedVmException("missing " + String.join(", ", missing));
    }
  }

  /** Whether this VM describes a field; no look-up. */
  final boolean isDescribed(String name) {
    return named(name) != null;
  }

  /** A field that must be there; null only until {@link #requireAll}. */
  final Field field(String... names) {
    return lookUp(true, this::named, Ledger::typeOf, names);
  }

  /** A field that may be missing: null. */
  final Field optionalField(String... names) {
    return lookUp(false, this::named, Ledger::typeOf, names);
  }

  /** The offset of a field that must be there; 0 only until {@link #requireAll}. */
  final int offset(String name) {
    Field field = field(name);
    return field == null ? 0 : (int) field.offset();
  }

  /** The offset of a field, or {@code undescribed} where the VM does not describe it. */
  final int optionalOffset(String name, int undescribed) {
    Field field = optionalField(name);
    return field == null ? undescribed : (int) field.offset();
  }

  /** An address or offset that must be there; null only until {@link #requireAll}. */
  final Place place(Name... names) {
    return place(true, names);
  }

  /** An address or offset; null where it is missing. */
  final Place place(boolean required, Name... names) {
    String[] texts = Arrays.stream(names).map(Name::name).toArray(String[]::new);
    Field field = lookUp(required, this::named, Ledger::typeOf, texts);
    String found = entries.get(entries.size() - 1).found;
    for (Name name : names) {
      if (name.name.equals(found)) {
        return new Place(field, name.base);
      }
    }
    return null;
  }

  /**
   * sizeof a type that must be described; 0 only until {@link #requireAll}. A size that can't be
   * one is none.
   */
  final int size(String type) {
    return size(true, type, 0);
  }

  /** sizeof a type, or {@code undescribed} where the VM does not describe it. */
  final int optionalSize(String type, int undescribed) {
    return size(false, type, undescribed);
  }

  private int size(boolean required, String type, int undescribed) {
    String name = "sizeof(" + type + ")";
    Long size = lookUp(required, each -> possibleSize(type), s -> "size", name);
    return size == null ? undescribed : size.intValue();
  }

  private Long possibleSize(String type) {
    Long size = structs.sizeOf(type);
    return size == null || size <= 0 || size > MAX_SIZE ? null : size;
  }

  /** A constant that must be there; 0 only until {@link #requireAll}. */
  final long constant(String... names) {
    return constant(true, names);
  }

  /** A constant, or 0 where the VM does not describe it. */
  final long optionalConstant(String name) {
    return constant(false, name);
  }

  private long constant(boolean required, String... names) {
    Long value = lookUp(required, structs::constant, c -> "constant", names);
    return value == null ? 0 : value;
  }

  private <T> T lookUp(
      boolean required, Function<String, T> source, Function<T, String> type, String... names) {
    for (String name : names) {
      T found = source.apply(name);
      if (found != null) {
        entries.add(new Entry(List.of(names), required, name, type.apply(found)));
        return found;
      }
    }
    entries.add(new Entry(List.of(names), required, null, ""));
    return null;
  }

  private Field named(String typeAndField) {
    int colons = typeAndField.lastIndexOf("::");
    return structs.field(typeAndField.substring(0, colons), typeAndField.substring(colons + 2));
  }

  private static String typeOf(Field field) {
    return (field.signed() ? "i" : "u") + 8 * field.width();
  }
}
