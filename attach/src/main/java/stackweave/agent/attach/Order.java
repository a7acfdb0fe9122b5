package stackweave.agent.attach;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A request of the command line to the agent in another JVM. It travels as the options of a late
 * attach: {@code order=detach;version=1.0;jar=%2Fopt%2Fagent.jar}, which HotSpot limits to 1,024
 * characters (attachListener.hpp, arg_length_max). Immutable.
 *
 * @param kind what to do
 * @param version of the agent jar that asks
 * @param values by name; values that the kind doesn't need are absent
 */
public record Order(Kind kind, String version, Map<Name, String> values) {

  /** The kinds of request. */
  public enum Kind {
    /** Start as with -javaagent, {@link Name#OPTIONS} being the options. */
    ATTACH,
    /**
     * Start for the recording named {@link Name#RECORDING} if no agent is running; such an agent
     * detaches by itself when the last recording of the command record has ended.
     */
    START_TEMPORARY,
    /** Undo everything. */
    DETACH
  }

  /** Names of values. */
  public enum Name {
    /** Path of the agent jar as the target JVM sees it; read by {@code stackweave.agent.boot}. */
    JAR,
    /** A random number repeated in the reply, which tells the replies to different orders apart. */
    TICKET,
    /** Agent options, as after -javaagent:jar=. */
    OPTIONS,
    /** The name of a recording of the command {@code record}; see {@link RecordName}. */
    RECORDING
  }

  private static final String ORDER = "order=";
  private static final String VERSION = "version";
  private static final Charset UTF_8 = StandardCharsets.UTF_8;

  public Order {
    values = Map.copyOf(values);
  }

  /** Whether this text is an order, rather than options from a user. */
  public static boolean isOrder(String text) {
    return text != null && text.startsWith(ORDER);
  }

  /** The value of this name, or null. */
  public String value(Name name) {
    return values.get(name);
  }

  /** The order as text. */
  public String text() {
    StringBuilder text = new StringBuilder(ORDER + lower(kind));
    text.append(";" + VERSION + "=" + encode(version));
    new TreeMap<>(values)
        .forEach((name, value) -> text.append(";" + lower(name) + "=" + encode(value)));
    return text.toString();
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Parses the result of {@link #text}.
   *
   * @throws IllegalArgumentException if it is not understood, for instance because it is from
   *     another version
   */
  public static Order parse(String text) {
    Kind kind = null;
    String version = "";
    Map<Name, String> values = new EnumMap<>(Name.class);
    for (String part : text.split(";", -1)) {
      int equals = part.indexOf('=');
      String key = equals < 0 ? part : part.substring(0, equals);
      String value = equals < 0 ? "" : URLDecoder.decode(part.substring(equals + 1), UTF_8);
      switch (key) {
        case "order" -> kind = Kind.valueOf(value.toUpperCase(Locale.ROOT));
        case VERSION -> version = value;
        default -> values.put(Name.valueOf(key.toUpperCase(Locale.ROOT)), value);
      }
    }
    if (kind == null) {
      throw new IllegalArgumentException("no order in '" + text + "'");
    }
    return new Order(kind, version, values);
  }

  private static String encode(String value) {
    return URLEncoder.encode(value, UTF_8);
  }
}
