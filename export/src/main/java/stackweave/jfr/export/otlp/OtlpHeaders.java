package stackweave.jfr.export.otlp;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Parses headers of a request. They may hold secrets, so they come from a file or the environment,
 * since others can read a command line, and no message shows a value. Stateless.
 */
public final class OtlpHeaders {
  /** The environment variable for headers that OpenTelemetry specifies. */
  public static final String VARIABLE = "OTEL_EXPORTER_OTLP_HEADERS";

  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  /** What HTTP/1.1 permits in a value. */
  private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e\\x80-\\xff]*");

  private OtlpHeaders() {}

  /**
   * From a file's lines {@code name: value}; empty lines and those that begin with # are skipped.
   *
   * @throws EndpointException for a line that is no header
   */
  public static Map<String, String> ofLines(List<String> lines) throws EndpointException {
    Map<String, String> headers = new LinkedHashMap<>();
    int number = 0;
    for (String line : lines) {
      number++;
      if (!line.isBlank() && !line.startsWith("#")) {
        put(headers, line, ':', "line " + number + " of the headers' file", "'name: value'");
      }
    }
    return headers;
  }

  /**
   * From the text of {@link #VARIABLE}: {@code name=value,name=value}, with %-encoded values.
   *
   * @throws EndpointException for a part that is no header
   */
  public static Map<String, String> ofVariable(String text) throws EndpointException {
    Map<String, String> headers = new LinkedHashMap<>();
    int number = 0;
    for (String part : text.split(",")) {
      number++;
      if (!part.isBlank()) {
        String decoded;
        try {
          // The decoder takes + for a space, which is right for forms only.
          decoded = URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
          throw new EndpointException("header " + number + " of " + VARIABLE + " has a wrong %");
        }
        put(headers, decoded, '=', "header " + number + " of " + VARIABLE, "'name=value'");
      }
    }
    return headers;
  }

  private static void put(
      Map<String, String> headers, String text, char separator, String where, String form)
      throws EndpointException {
    int at = text.indexOf(separator);
    String name = at < 0 ? "" : text.substring(0, at).strip();
    String value = text.substring(at + 1).strip();
    if (!NAME.matcher(name).matches() || !VALUE.matcher(value).matches()) {
      throw new EndpointException(where + " is not " + form);
    }
    headers.put(name, value);
  }
}
