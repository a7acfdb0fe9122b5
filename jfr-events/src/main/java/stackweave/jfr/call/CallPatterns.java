package stackweave.jfr.call;

import java.util.ArrayList;
import java.util.List;

/**
 * Patterns of native methods: {@code org.rocksdb.RocksDB::get*}, several separated by {@code ;}. A
 * {@code *} stands for any characters, in class and method. Immutable.
 */
public final class CallPatterns {
  /** What is between two patterns. */
  public static final String SEPARATOR = ";";

  /** The pattern of all methods. */
  public static final String ALL = "*::*";

  /** The valid patterns, as text for users. */
  public static final String SYNTAX =
      "patterns CLASS::METHOD, where * stands for any characters, separated by ;"
          + " such as org.rocksdb.RocksDB::get*";

  /** Most patterns of one text. */
  public static final int MAX_PATTERNS = 64;

  private static final String MIDDLE = "::";

  private record Pattern(String text, String className, String method) {}

  private final List<Pattern> patterns;

  private CallPatterns(List<Pattern> patterns) {
    this.patterns = patterns;
  }

  /** Parses patterns; null if they are none of {@link #SYNTAX}. */
  public static CallPatterns parse(String text) {
    List<Pattern> patterns = new ArrayList<>();
    for (String each : text.split(SEPARATOR)) {
      String pattern = each.strip();
      int middle = pattern.indexOf(MIDDLE);
      if (pattern.isEmpty()) {
        continue;
      }
      if (middle <= 0 || patterns.size() == MAX_PATTERNS) {
        return null;
      }
      String className = pattern.substring(0, middle);
      String method = pattern.substring(middle + MIDDLE.length());
      if (!isGlob(className, true) || !isGlob(method, false)) {
        return null;
      }
      patterns.add(new Pattern(pattern, className, method));
    }
    return patterns.isEmpty() ? null : new CallPatterns(patterns);
  }

  /** Each of the patterns alone, in their order. */
  public List<CallPatterns> each() {
    List<CallPatterns> each = new ArrayList<>();
    for (Pattern pattern : patterns) {
      each.add(new CallPatterns(List.of(pattern)));
    }
    return each;
  }

  private static boolean isGlob(String text, boolean mayHaveDots) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '*' && !(c == '.' && mayHaveDots) && !Character.isJavaIdentifierPart(c)) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /**
   * Whether a class may have methods that match. Allocates nothing.
   *
   * @param className with dots, or with slashes as class files have it
   */
  public boolean matchesClass(String className) {
    for (int i = 0; i < patterns.size(); i++) {
      if (isMatch(patterns.get(i).className, className)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a method of a class, by its name with dots, matches. */
  public boolean matches(String className, String method) {
    for (Pattern pattern : patterns) {
      if (isMatch(pattern.className, className) && isMatch(pattern.method, method)) {
        return true;
      }
    }
    return false;
  }

  /** A dot of the pattern is also a slash of the text. */
  private static boolean isMatch(String pattern, String text) {
    int p = 0;
    int t = 0;
    int star = -1;
    int tried = 0;
    while (t < text.length()) {
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        star = p++;
        tried = t;
      } else if (p < pattern.length() && isSame(pattern.charAt(p), text.charAt(t))) {
        p++;
        t++;
      } else if (star >= 0) {
        p = star + 1;
        t = ++tried;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }

  private static boolean isSame(char pattern, char text) {
    return pattern == text || pattern == '.' && text == '/';
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Pattern pattern : patterns) {
      text.append(text.isEmpty() ? "" : SEPARATOR).append(pattern.text);
    }
    return text.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CallPatterns && patterns.equals(((CallPatterns) other).patterns);
  }

  @Override
  public int hashCode() {
    return patterns.hashCode();
  }
}
