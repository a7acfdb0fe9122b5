package stackweave.testing;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.zip.InflaterInputStream;

/** Reads the names in a flame graph's page, for tests of the command that writes it. Stateless. */
public final class FlamePageNames {
  private static final String BEGIN = "\"data\":\"";

  private FlamePageNames() {}

  /**
   * The strings that frames are called by, with those of libraries.
   *
   * @throws IOException if the page has no data that can be read
   */
  public static Set<String> of(String html) throws IOException {
    int begin = html.indexOf(BEGIN) + BEGIN.length();
    byte[] packed = Base64.getDecoder().decode(html.substring(begin, html.indexOf('"', begin)));
    try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(packed))) {
      Set<String> names = new LinkedHashSet<>();
      for (int left = number(in); left > 0; left--) {
        names.add(new String(in.readNBytes(number(in)), StandardCharsets.UTF_8));
      }
      return names;
    }
  }

  private static int number(InflaterInputStream in) throws IOException {
    int value = 0;
    for (int shift = 0; ; shift += 7) {
      int b = in.read();
      value |= (b & 127) << shift;
      if (b < 128) {
        return value;
      }
    }
  }
}
