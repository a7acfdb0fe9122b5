package stackweave.unwind.expression;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.unwind.Architecture;

/**
 * Numbers the distinct expressions of a process that are no {@link PlainValue}. There are few:
 * eight in the libraries of a server. Belongs to the thread that unwinds.
 */
public final class Expressions {
  /** {@link #intern} of an expression that is not kept. */
  public static final int NONE = -1;

  /** Far more than real processes have; keeps malicious sections from filling the heap. */
  private static final int MAX_EXPRESSIONS = 4_096;

  private final Architecture architecture;
  private final List<long[]> programs = new ArrayList<>();
  private final Map<List<Long>, Integer> numbers = new HashMap<>();

  /** An empty table. */
  public Expressions(Architecture architecture) {
    this.architecture = architecture;
  }

  /**
   * The number of an expression, or {@link #NONE} if it can't be evaluated or the table is full.
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

  /** The number of a recorded expression, or {@link #NONE} if the words are no expression. */
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
