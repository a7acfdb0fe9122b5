package stackweave.hotspot.vmstructs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import stackweave.hotspot.vmstructs.Layout.Base;
import stackweave.hotspot.vmstructs.Layout.Place;

/**
 * Looks up fields, sizes and constants in vmStructs, each under all names that JDKs have for it,
 * and keeps a list of the look-ups: what was asked for, what this VM has, what it lacks. Used by
 * {@link Layout} alone; docs/jdk-layout.md is checked against it.
 */
public final class Ledger {
  /** What the message begins with when required entries are missing. */
  public static final String UNSUPPORTED = "this JDK is not supported for Java frames: missing ";

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

    /** As a person is told that it is missing. */
    public String text() {
      return String.join(" or ", names);
    }
  }

  /** Null once the look-ups have ended: it is some 600 KiB. */
  private VmStructs structs;

  private final List<Entry> entries = new ArrayList<>();

  Ledger(VmStructs structs) {
    this.structs = structs;
  }

  /** All look-ups so far, in their order. */
  List<Entry> entries() {
    return Collections.unmodifiableList(entries);
  }

  /**
   * Ends the look-ups, and forgets what they were made in.
   *
   * @throws UnsupportedVmException naming all that is required and missing
   */
  void requireAll() throws UnsupportedVmException {
    structs = null;
    List<String> missing = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.required && entry.found == null) {
        missing.add(entry.text());
      }
    }
    if (!missing.isEmpty()) {
      throw new UnsupportedVmException(UNSUPPORTED + String.join(", ", missing));
    }
  }

  /** A field that must be there; null only until {@link #requireAll}. */
  Field field(String... names) {
    return lookUp(true, this::named, Ledger::typeOf, names);
  }

  /** A field that may be missing: null. */
  Field optionalField(String... names) {
    return lookUp(false, this::named, Ledger::typeOf, names);
  }

  /** An address or offset that must be there; null only until {@link #requireAll}. */
  Place place(Name... names) {
    return place(true, names);
  }

  /** An address or offset that may be missing: null. */
  Place optionalPlace(Name... names) {
    return place(false, names);
  }

  private Place place(boolean required, Name... names) {
    String[] texts = new String[names.length];
    for (int i = 0; i < names.length; i++) {
      texts[i] = names[i].name;
    }
    Field field = lookUp(required, this::named, Ledger::typeOf, texts);
    String found = entries.get(entries.size() - 1).found;
    for (Name name : names) {
      if (name.name.equals(found)) {
        return new Place(field, name.base);
      }
    }
    return null;
  }

  /** sizeof a type that must be described; 0 only until {@link #requireAll}. */
  int size(String type) {
    return size(true, type);
  }

  /** sizeof a type, 0 if it is not described. */
  int optionalSize(String type) {
    return size(false, type);
  }

  private int size(boolean required, String type) {
    Long size = lookUp(required, name -> structs.sizeOf(type), s -> "size", sizeName(type));
    return size == null ? 0 : size.intValue();
  }

  /** A constant that must be there; 0 only until {@link #requireAll}. */
  long constant(String... names) {
    Long value = lookUp(true, structs::constant, c -> "constant", names);
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

  private static String sizeName(String type) {
    return "sizeof(" + type + ")";
  }

  private Field named(String typeAndField) {
    int colons = typeAndField.lastIndexOf("::");
    return structs.field(typeAndField.substring(0, colons), typeAndField.substring(colons + 2));
  }

  private static String typeOf(Field field) {
    return (field.signed() ? "i" : "u") + 8 * field.width();
  }
}
