package stackweave.jfr.export;

import java.io.IOException;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * Writes JSON that is safe inside an HTML script element: everything that could end the element,
 * and everything but printable ASCII, is escaped. Not thread-safe.
 */
public final class Json {
  private final Appendable out;
  private boolean first = true;

  public Json(Appendable out) {
    this.out = out;
  }

  public Json beginObject() throws IOException {
    return begin('{');
  }

  public Json endObject() throws IOException {
    return end('}');
  }

  public Json beginArray() throws IOException {
    return begin('[');
  }

  public Json endArray() throws IOException {
    return end(']');
  }

  private Json begin(char bracket) throws IOException {
    separate();
    out.append(bracket);
    first = true;
    return this;
  }

  private Json end(char bracket) throws IOException {
    out.append(bracket);
    first = false;
    return this;
  }

  /** The name of the value that comes next. */
  public Json name(String name) throws IOException {
    separate();
    string(name);
    out.append(':');
    first = true;
    return this;
  }

  /**
   * A value.
   *
   * @param value a String, a Boolean, a finite number, an Iterable of values, or null
   */
  Json value(Object value) throws IOException {
    if (value instanceof Iterable<?> values) {
      beginArray();
      for (Object each : values) {
        value(each);
      }
      return endArray();
    }
    separate();
    if (value instanceof String text) {
      string(text);
    } else {
      out.append(String.valueOf(value));
    }
    return this;
  }

  /** A name and its value. */
  public Json field(String name, Object value) throws IOException {
    return name(name).value(value);
  }

  /** A name and an array of so many values. */
  Json array(String name, int length, IntFunction<?> value) throws IOException {
    name(name).beginArray();
    for (int i = 0; i < length; i++) {
      value(value.apply(i));
    }
    return endArray();
  }

  private void separate() throws IOException {
    if (!first) {
      out.append(',');
    }
    first = false;
  }

  private void string(String name) throws IOException {
    String text = Names.encodable(name);
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c > '~' || c == '<' || c == '>' || c == '&') {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
