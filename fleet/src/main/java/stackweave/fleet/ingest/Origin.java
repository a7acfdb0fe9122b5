package stackweave.fleet.ingest;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.export.Names;

/**
 * Whose samples they are; texts are empty if unknown. Of each, the first of these that is known
 * holds: the label of the sample; the JVM's system property {@code service.name}, {@code
 * service.version} or {@code host.name}; its environment variables OTEL_SERVICE_NAME,
 * OTEL_RESOURCE_ATTRIBUTES and HOSTNAME; the path of the recording. Immutable.
 *
 * @param service name of the service
 * @param version version of the service
 * @param host name of the machine or container
 */
record Origin(String service, String version, String host) {
  /** What a service is called that nobody has named, as by OpenTelemetry. */
  static final String UNKNOWN_SERVICE = "unknown_service";

  /** What a file system takes as a part of a name, if each character takes four bytes. */
  private static final int MOST = 60;

  /** Hive's and Spark's directory of rows without a value. */
  private static final String NO_PARTITION = "__HIVE_DEFAULT_PARTITION__";

  static final Origin UNKNOWN = new Origin(UNKNOWN_SERVICE, "", "");

  /** The names of the facts, as in a {@link PathPattern}. */
  static final List<String> NAMES = List.of("service", "version", "host");

  /** The same facts as OpenTelemetry calls them: labels, properties and attributes. */
  private static final List<String> KEYS = List.of("service.name", "service.version", "host.name");

  /**
   * The origin of a JVM's samples without labels.
   *
   * @param properties its system properties, as it started
   * @param environment its environment variables
   * @param ofPath what the path of the recording says
   */
  static Origin of(
      Map<String, String> properties, Map<String, String> environment, Map<String, String> ofPath) {
    Map<String, String> attributes =
        attributes(environment.getOrDefault("OTEL_RESOURCE_ATTRIBUTES", ""));
    String service =
        first(
            properties.get(KEYS.get(0)),
            environment.get("OTEL_SERVICE_NAME"),
            attributes.get(KEYS.get(0)),
            ofPath.get(NAMES.get(0)));
    return new Origin(
        service.isEmpty() ? UNKNOWN_SERVICE : service,
        first(properties.get(KEYS.get(1)), attributes.get(KEYS.get(1)), ofPath.get(NAMES.get(1))),
        first(
            properties.get(KEYS.get(2)),
            attributes.get(KEYS.get(2)),
            environment.get("HOSTNAME"),
            ofPath.get(NAMES.get(2))));
  }

  /** The origin of samples with labels, which hold before all else. */
  Origin with(Map<String, String> labels) {
    return labels.isEmpty()
        ? this
        : new Origin(
            first(labels.get(KEYS.get(0)), service),
            first(labels.get(KEYS.get(1)), version),
            first(labels.get(KEYS.get(2)), host));
  }

  private static String first(String... texts) {
    for (String text : texts) {
      String whole = text == null ? "" : Names.printable(text).strip();
      if (!whole.isEmpty() && !whole.equals(NO_PARTITION)) {
        int length = Math.min(MOST, whole.codePointCount(0, whole.length()));
        return whole.substring(0, whole.offsetByCodePoints(0, length));
      }
    }
    return "";
  }

  /** OpenTelemetry's form of attributes: {@code key=value,key=value}, values percent-encoded. */
  private static Map<String, String> attributes(String text) {
    Map<String, String> attributes = new HashMap<>();
    for (String pair : text.split(",")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        attributes.put(
            pair.substring(0, equals).strip(), decoded(pair.substring(equals + 1).strip()));
      }
    }
    return attributes;
  }

  private static String decoded(String value) {
    try {
      // Not for forms, where a plus sign is a blank.
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return value; // as OpenTelemetry's SDK takes a value that is not encoded
    }
  }
}
