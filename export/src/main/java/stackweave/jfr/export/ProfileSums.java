package stackweave.jfr.export;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import stackweave.jfr.export.thread.CommonName;
import stackweave.jfr.export.thread.ThreadGroups;
import stackweave.jfr.export.thread.ThreadKey;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.StackEnd;
import stackweave.jfr.read.StackThread;

/**
 * Sums of a profile by function, library and thread. A function or library counts once for a stack
 * that it is in several times.
 */
final class ProfileSums {

  /** The sums of one function, library or thread. */
  static final class Sum {
    private final String name;
    private long selfSamples;
    private long selfNanos;
    private long totalSamples;
    private long totalNanos;

    /** The last stack that it was counted for. */
    private int stack;

    private Sum(String name) {
      this.name = name;
    }

    String name() {
      return name;
    }

    /** Samples, or the ns that they stand for, with its code innermost. */
    long self(boolean bySamples) {
      return bySamples ? selfSamples : selfNanos;
    }

    /** Samples, or the ns that they stand for, of all stacks that it is in. */
    long total(boolean bySamples) {
      return bySamples ? totalSamples : totalNanos;
    }

    private void addTotal(int number, long samples, long nanos) {
      if (stack != number) {
        stack = number;
        totalSamples += samples;
        totalNanos += nanos;
      }
    }

    private void addSelf(long samples, long nanos) {
      selfSamples += samples;
      selfNanos += nanos;
    }
  }

  private final Map<String, Sum> functions = new HashMap<>();
  private final Map<String, Sum> libraries = new HashMap<>();
  private final Map<String, Sum> threads = new HashMap<>();
  private final Map<String, Integer> threadCounts = new HashMap<>();
  private int stacks;
  private long cutSamples;
  private long cutNanos;

  /** Threads that are one row. */
  private static final class Group {
    private static final ThreadKey NAMELESS = new ThreadKey("", new StackThread("", 0, 0, true, 0));

    private final CommonName names;
    private final Set<ThreadKey> threads = new HashSet<>();
    private long samples;
    private long nanos;

    private Group(String name) {
      this.names = new CommonName(name);
    }

    private void add(SampleSum sum) {
      StackThread thread = sum.thread();
      names.add(thread.text());
      boolean isNameless = thread.isVirtual() && thread.name().isEmpty();
      threads.add(isNameless ? NAMELESS : ThreadKey.of(sum.session(), thread));
      this.samples += sum.count();
      this.nanos += sum.weightNanos();
    }
  }

  ProfileSums(SampledRecording recording) {
    ThreadGroups groupOf = new ThreadGroups(recording);
    Map<String, Group> groups = new HashMap<>();
    FrameCache<Sum> functionOf = new FrameCache<>(frame -> sum(functions, frame.text()));
    FrameCache<Sum> libraryOf = new FrameCache<>(frame -> sum(libraries, CodeOrigin.of(frame)));
    recording.forEachStackSum(
        (sum, series) -> {
          StackEnd end = sum.end();
          long samples = sum.count();
          long nanos = sum.weightNanos();
          stacks++;
          boolean isCut = end.isRead() && !end.isComplete();
          cutSamples += isCut ? samples : 0;
          cutNanos += isCut ? nanos : 0;
          Sum function = null;
          Sum library = null;
          for (SampledFrame frame : sum.frames()) {
            function = functionOf.get(frame);
            library = libraryOf.get(frame);
            function.addTotal(stacks, samples, nanos);
            library.addTotal(stacks, samples, nanos);
          }
          if (function == null) {
            function = sum(functions, end.marker(0).orElse(Names.NO_FRAMES));
            library = sum(libraries, CodeOrigin.UNKNOWN);
            function.addTotal(stacks, samples, nanos);
            library.addTotal(stacks, samples, nanos);
          }
          function.addSelf(samples, nanos);
          library.addSelf(samples, nanos);
          groups
              .computeIfAbsent(groupOf.of(sum.thread()), name -> new Group(sum.thread().text()))
              .add(sum);
        });
    groups.forEach(
        (name, group) -> {
          boolean isOne = group.threads.size() == 1 || !group.names.isSeveral();
          Sum own = sum(threads, isOne ? group.names.text() : name);
          own.addSelf(group.samples, group.nanos);
          own.addTotal(++stacks, group.samples, group.nanos);
          threadCounts.merge(own.name(), group.threads.size(), Integer::sum);
        });
  }

  private static Sum sum(Map<String, Sum> sums, String name) {
    return sums.computeIfAbsent(name, Sum::new);
  }

  Map<String, Sum> functions() {
    return functions;
  }

  Map<String, Sum> libraries() {
    return libraries;
  }

  Map<String, Sum> threads() {
    return threads;
  }

  /** The number of threads of a row; 1 for virtual threads without a name. */
  int threadsNamed(String name) {
    return threadCounts.get(name);
  }

  /** Samples whose stack does not reach its thread's first frame. */
  long cutSamples() {
    return cutSamples;
  }

  /** The ns that these stand for. */
  long cutNanos() {
    return cutNanos;
  }
}
