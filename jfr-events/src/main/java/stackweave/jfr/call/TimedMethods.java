package stackweave.jfr.call;

/**
 * The native methods whose calls are timed, numbered from 0, and their counters. Implemented by the
 * agent, read by {@link NativeCallEvents}. Methods are only ever added. Thread-safe.
 */
public interface TimedMethods {
  /** Prefix of the name that a timed native method has; its own name is that of its wrapper. */
  String PREFIX = "stackweave$native$";

  /**
   * Classes of durations: number {@code i} has those from 2<sup>i+4</sup> ns up to twice that; the
   * first also all shorter ones, the last all longer ones.
   */
  int BUCKETS = 28;

  /** Bound of the first class of durations, in ns. */
  long FIRST_BOUND = 32;

  /** Index of the time of all calls below the threshold, in ns; the calls by duration precede. */
  int TIME = BUCKETS;

  /** Index of the number of calls that took the threshold or longer. */
  int SLOW_CALLS = TIME + 1;

  /** Index of the time of these calls, in ns. */
  int SLOW_TIME = SLOW_CALLS + 1;

  /** How many counters a method has. */
  int COUNTERS = SLOW_TIME + 1;

  /** The name that a method has in its source, whether it is timed or not. */
  static String ownName(String name) {
    return name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
  }

  /** How many methods there are. */
  int count();

  /** Class and name of a method, with dots. */
  String method(int number);

  /** The descriptor of a method. */
  String descriptor(int number);

  /**
   * Reads the counters of a method, which only ever grow.
   *
   * @param into gets {@link #COUNTERS} values
   * @return false if it was never called while calls were timed
   */
  boolean read(int number, long[] into);
}
