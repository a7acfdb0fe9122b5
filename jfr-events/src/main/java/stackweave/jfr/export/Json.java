package stackweave.jfr.export;

import java.io.IOException;
import java.util.Locale;

/**
 * Writes JSON that is safe inside an HTML script element: everything that could end the element,
 * and everything but printable ASCII, is escaped. Not thread-safe.
 */
final class Json {
  private final Appendable out;
  private boolean first = true;

  Json(Appendable out) {
    this.out = out;
  }

  Json beginObject() throws IOException {
    return begin('{');
  }

  Json endObject() throws IOException {
    return end('}');
  }

  Json beginArray() throws IOException {
    return begin('[');
  }

  Json endArray() throws IOException {
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
  Json name(String name) throws IOException {
    separate();
    string(name);
    out.append(':');
    first = true;
    return this;
  }

  Json value(String text) throws IOException {
    separate();
    string(text);
    return this;
  }

  Json value(long number) throws IOException {
    separate();
    out.append(Long.toString(number));
    return this;
  }

  /** A finite number, as exactly as its text says it. */
  Json value(double number) throws IOException {
    if (!Double.isFinite(number)) {
      throw new IllegalArgumentException("JSON has no " + number);
    }
    separate();
    out.append(
        number == Math.rint(number) && Math.abs(number) < 1e15
            ? Long.toString((long) number)
            : Double.toString(number));
    return this;
  }

  Json value(boolean truth) throws IOException {
    separate();
    out.append(Boolean.toString(truth));
    return this;
  }

  Json nullValue() throws IOException {
    separate();
    out.append("null");
    return this;
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
