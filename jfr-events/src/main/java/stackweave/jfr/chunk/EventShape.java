package stackweave.jfr.chunk;

import java.util.List;

/**
 * What is wanted of one type of event. A field's place in the list is its number for {@link
 * ChunkReader#number} and {@link ChunkReader#text}.
 *
 * @param name the event's name
 * @param fields the names of its fields
 */
public record EventShape(String name, List<String> fields) {
  /** The same with the names of the fields as one text, with blanks between. */
  public static EventShape of(String name, String fields) {
    return new EventShape(name, fields.isEmpty() ? List.of() : List.of(fields.split(" ")));
  }
}
