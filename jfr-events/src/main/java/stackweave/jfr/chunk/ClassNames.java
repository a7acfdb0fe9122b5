package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Names of the classes that events of a chunk have by their keys. A class has its name by the key
 * of a symbol, so the chunk's constants are read twice. Stateless.
 */
public final class ClassNames {
  private static final String CLASS = "java.lang.Class";
  private static final String NAME = "name";

  private ClassNames() {}

  /**
   * Reads names.
   *
   * @param source stays open
   * @param classes keys of classes
   * @return by key, as in {@code java.util.Map$Entry}; without those that the chunk lacks
   * @throws IOException if the chunk's constants are damaged
   */
  public static Map<Long, String> read(ChunkSource source, ChunkHeader header, Set<Long> classes)
      throws IOException {
    Map<Long, Long> symbols = new HashMap<>();
    Set<ValueType> symbolTypes = new HashSet<>();
    Metadata metadata = source.metadata(header);
    ConstantPools.read(
        source,
        header,
        metadata,
        (type, key, input) -> {
          if (!type.name().equals(CLASS) || !classes.contains(key)) {
            return false;
          }
          for (ValueType.Field field : type.fields()) {
            if (field.name().equals(NAME) && field.isKey() && !field.isArray()) {
              symbols.put(key, input.readLong());
              symbolTypes.add(field.type());
            } else {
              field.skip(input, 0);
            }
          }
          return true;
        });
    Set<Long> wanted = new HashSet<>(symbols.values());
    Map<Long, String> texts = ConstantPools.texts(source, header, metadata, symbolTypes, wanted);
    Map<Long, String> names = new HashMap<>();
    symbols.forEach(
        (key, symbol) -> {
          if (texts.containsKey(symbol)) {
            names.put(key, texts.get(symbol).replace('/', '.'));
          }
        });
    return names;
  }
}
