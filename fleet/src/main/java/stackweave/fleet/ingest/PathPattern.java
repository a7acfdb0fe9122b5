package stackweave.fleet.ingest;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.hadoop.fs.Path;

/**
 * Takes facts out of the paths of recordings: {@code path:/*}{@code /{service}/{host}-*.jfr}.
 * {@code *} is anything within a name, {@code **} anything, {@code {service}}, {@code {version}}
 * and {@code {host}} are what they stand for, as long as possible. A pattern that ends with {@code
 * /} is of a path's beginning. Immutable.
 */
public final class PathPattern implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final String SCHEME = "path:";
  private static final Pattern PART =
      Pattern.compile("\\{(service|version|host)}|(/\\*\\*(?=/)|\\*\\*)|(\\*)|([^*{/]+|/)");

  private final Pattern pattern;

  private PathPattern(Pattern pattern) {
    this.pattern = pattern;
  }

  /**
   * Parses a pattern.
   *
   * @throws IllegalArgumentException if it is none; one line for users
   */
  public static PathPattern parse(String text) {
    if (!text.startsWith(SCHEME + "/")) {
      throw wrong(text);
    }
    StringBuilder regex = new StringBuilder();
    Matcher part = PART.matcher(text).region(SCHEME.length(), text.length());
    int at = SCHEME.length();
    while (part.find() && part.start() == at) {
      at = part.end();
      if (part.group(1) != null) {
        regex.append("(?<").append(part.group(1)).append(">[^/]+)");
      } else if (part.group(2) != null) {
        // Directories, or none.
        regex.append(part.group(2).startsWith("/") ? "(?:/.*)?" : ".*");
      } else {
        regex.append(part.group(3) != null ? "[^/]*" : Pattern.quote(part.group(4)));
      }
    }
    if (at != text.length() || regex.indexOf("(?<") < 0) {
      throw wrong(text);
    }
    try {
      return new PathPattern(Pattern.compile(regex + (text.endsWith("/") ? ".*" : "")));
    } catch (PatternSyntaxException e) {
      throw wrong(text); // a name that stands twice
    }
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "'"
            + text
            + "' is no pattern such as 'path:/*/{service}/' with {service}, {version} or {host},"
            + " each once");
  }

  /** The facts in a path by their names; empty if the pattern is of other paths. */
  public Map<String, String> facts(String path) {
    Matcher matcher = pattern.matcher(new Path(path).toUri().getPath());
    Map<String, String> facts = new HashMap<>();
    if (matcher.matches()) {
      for (String name : Origin.NAMES) {
        if (pattern.pattern().contains("(?<" + name + ">")) {
          facts.put(name, matcher.group(name));
        }
      }
    }
    return facts;
  }
}
