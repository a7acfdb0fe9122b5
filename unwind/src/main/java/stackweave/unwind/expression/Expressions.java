package stackweave.unwind.expression;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.unwind.Architecture;

/**
 * The distinct expressions of a process that no plain location says, by number. There are few:
 * eight in the libraries of a server. Written and read by the thread that unwinds; not thread-safe.
 */
public final class Expressions {
  /** What {@link #intern} gives for one that is not kept. */
  public static final int NONE = -1;

  /** No real process comes near; made-up sections shall not fill the heap. */
  private static final int MAX_EXPRESSIONS = 4_096;

  private final Architecture architecture;
  private final List<long[]> programs = new ArrayList<>();
  private final Map<List<Long>, Integer> numbers = new HashMap<>();

  /** None yet. */
  public Expressions(Architecture architecture) {
    this.architecture = architecture;
  }

  /**
   * The number of an expression, or {@link #NONE} if it can't be evaluated or they are too many.
   */
  public int intern(Program program) {
    if (!program.isSound(architecture)) {
      return NONE;
    }
    long[] words = program.toArray();
    List<Long> key = Arrays.stream(words).boxed().toList();
    Integer known = numbers.get(key);
    if (known != null) {
      return known;
    }
    if (programs.size() == MAX_EXPRESSIONS) {
      return NONE;
    }
    programs.add(words);
    numbers.put(key, programs.size() - 1);
    return programs.size() - 1;
  }

  /** The number of an expression out of a record, or {@link #NONE} for words that are none. */
  public int intern(long[] recorded, int from, int to) {
    Program program = new Program();
    return program.set(recorded, from, to) ? intern(program) : NONE;
  }

  /** How many there are: numbers are below this. */
  public int size() {
    return programs.size();
  }

  /** The words of an expression, for a record of it; not to be written. */
  public long[] words(int expression) {
    return programs.get(expression);
  }

  /** A readable text, in the order of evaluation. */
  public String text(int expression) {
    Program program = new Program();
    long[] words = words(expression);
    program.set(words, 0, words.length);
    return program.toString();
  }
}
