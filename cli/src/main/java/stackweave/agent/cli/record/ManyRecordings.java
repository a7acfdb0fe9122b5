package stackweave.agent.cli.record;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.LastSignal;
import stackweave.agent.cli.output.Outputs;
import stackweave.agent.cli.outside.OutsideSampling;
import stackweave.agent.cli.process.JvmSearch;
import stackweave.agent.cli.process.JvmSearch.Jvm;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.linux.DaemonThread;

/**
 * Records all JVMs that match, from when they are found until they end. Each has a thread of its
 * own, so that one that does not answer holds up no other. Ctrl-C ends all and keeps all.
 */
final class ManyRecordings {
  /** The most at a time. */
  static final int MOST = 64;

  /** Of one user, where those of several are recorded. */
  private static final int MOST_OF_USER = 48;

  private static final long LOOK_NANOS = 1_000_000_000L;

  private static final long RETRY_NANOS = 60_000_000_000L;

  /** How long the end waits for JVMs that do not answer; what is being written is waited for. */
  private static final long END_SECONDS = 30;

  private static final long PAUSE_MILLIS = 100;

  /**
   * What is asked for.
   *
   * @param output the pattern of the files' names
   * @param eachMillis the length of each recording
   * @param totalMillis the length of all together
   */
  record Plan(String output, long eachMillis, long totalMillis) {}

  private final ManyOptions options;
  private final OutsideSampling sampling;
  private final SamplingRequest request;
  private final Plan plan;
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);

  /** When the JVMs that were found first were all sampled, or could not be; 0 before. */
  private volatile long startNanos;

  private ManyOptions.Users users;
  private OutsideSampling.Shared shared;

  /** Those that run, by process id. */
  private final Map<Integer, Recording> recordings = new HashMap<>();

  /** What could not be recorded, and why. */
  private final Map<Jvm, Failure> failed = new HashMap<>();

  /**
   * Why a JVM could not be recorded.
   *
   * @param atNanos when that was; it is tried again later, for the reason may pass
   * @param isFinal whether it is not: a thread hangs at it
   */
  private record Failure(String why, long atNanos, boolean isFinal) {}

  /** Those whose time is over; others may have begun later. */
  private final Set<Jvm> done = new HashSet<>();

  private final ShortRecordings shortOnes = new ShortRecordings(System.nanoTime());
  private int othersSaid;
  private boolean isMostSaid;

  /** The users of whom it is said that not all of their short ones are recorded. */
  private final Set<Integer> limitedUsers = new HashSet<>();

  ManyRecordings(
      ManyOptions options, OutsideSampling sampling, SamplingRequest request, Plan plan) {
    this.options = options;
    this.sampling = sampling;
    this.request = request;
    this.plan = plan;
  }

  /**
   * Records until the time is over, or Ctrl-C.
   *
   * @throws FailedException if that is not possible here
   */
  void run() throws FailedException {
    JvmSearch search = options.search();
    users = options.users();
    shared = sampling.shared(request);
    Runtime.getRuntime().addShutdownHook(new Thread(this::interrupt));
    try {
      look(search);
      if (recordings.isEmpty() && search.isComplete()) {
        CommandMessages.say("no JVM matches yet; those that begin to are recorded");
      }
      long begunNanos = System.nanoTime();
      List<Recording> first = List.copyOf(recordings.values());
      for (long looked = begunNanos; !isInterruptedSoon() && leftMillis() > 0; ) {
        long now = System.nanoTime();
        boolean isLate = now - begunNanos > RoundRecording.START_NANOS;
        boolean isKnown = !first.isEmpty() || search.isComplete();
        if (startNanos == 0
            && (isLate || isKnown && first.stream().noneMatch(Recording::isBeginning))) {
          startNanos = now;
        }
        if (now - looked >= LOOK_NANOS) {
          looked = now;
          look(search);
          first = first.isEmpty() ? List.copyOf(recordings.values()) : first;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      end();
      finished.countDown();
    }
  }

  private boolean isInterruptedSoon() throws InterruptedException {
    long pause = Math.max(1, Math.min(PAUSE_MILLIS, leftMillis()));
    return interrupted.await(pause, TimeUnit.MILLISECONDS);
  }

  private long leftMillis() {
    return startNanos == 0
        ? plan.totalMillis()
        : plan.totalMillis() - (System.nanoTime() - startNanos) / 1_000_000;
  }

  private void look(JvmSearch search) throws FailedException {
    try {
      List<Jvm> found = search.look();
      failed.keySet().retainAll(Set.copyOf(found));
      done.retainAll(found);
      endOld(found);
      int others = 0;
      for (Jvm jvm : found) {
        if (!users.has(jvm.uid())) {
          others++;
        } else if (!recordings.containsKey(jvm.pid()) && mayBeTried(jvm)) {
          begin(jvm);
        }
      }
      sayOthers(others);
    } catch (IOException e) {
      throw new FailedException("processes can't be listed: " + FailedException.reason(e));
    }
  }

  private boolean mayBeTried(Jvm jvm) {
    Failure failure = failed.get(jvm);
    return !done.contains(jvm)
        && (failure == null
            || !failure.isFinal() && System.nanoTime() - failure.atNanos() > RETRY_NANOS);
  }

  /** Ends the recordings of JVMs that are gone, also by an exec. */
  private void endOld(List<Jvm> found) {
    Set<Jvm> present = new HashSet<>(found);
    for (Iterator<Recording> all = recordings.values().iterator(); all.hasNext(); ) {
      Recording recording = all.next();
      if (!recording.thread.isAlive()) {
        all.remove();
        if (recording.hasBegun && recording.rounds.isTimeOver()) {
          done.add(recording.jvm);
        }
        String failure =
            recording.failure.replaceFirst("^process " + recording.jvm.pid() + ":? ", "it ");
        Failure before = failed.get(recording.jvm);
        if (!failure.isEmpty()) {
          failed.put(recording.jvm, new Failure(failure, System.nanoTime(), recording.isSilent));
        }
        if (!failure.isEmpty() && (before == null || !before.why().equals(failure))) {
          CommandMessages.say("process %s: %s", recording.jvm.pid(), failure);
        }
        if (before == null) {
          shortOnes.ended(recording.jvm.uid(), failure.isEmpty() ? recording.nanos : 0);
        }
      } else if (!present.contains(recording.jvm)) {
        recording.rounds.end();
      }
    }
  }

  private void begin(Jvm jvm) {
    int uid = jvm.uid();
    long ofUser = recordings.values().stream().filter(each -> each.jvm.uid() == uid).count();
    if (recordings.size() == MOST || users.areSeveral() && ofUser == MOST_OF_USER) {
      if (!isMostSaid) {
        isMostSaid = true;
        CommandMessages.say(
            "%s JVMs are recorded at a time, of one of several users %s, and more match: narrow"
                + " them by --match or --cgroup",
            MOST, MOST_OF_USER);
      }
    } else if (!shortOnes.allow(uid, System.nanoTime())) {
      if (limitedUsers.add(uid)) {
        CommandMessages.say(
            "many JVMs of user %s end within %s seconds: one more is recorded each %s seconds",
            uid, ShortRecordings.SECONDS, ShortRecordings.SECONDS);
      }
    } else {
      Recording recording = new Recording(jvm);
      recordings.put(jvm.pid(), recording);
      recording.thread.start();
    }
  }

  private void sayOthers(int others) {
    if (others > othersSaid) {
      othersSaid = others;
      CommandMessages.say(
          "%s %s of other users: --user NAME or --all-users has them recorded, too",
          others == 1 ? "1 JVM that matches" : others + " JVMs that match",
          others == 1 ? "is" : "are");
    }
  }

  /** Ends all, and waits for them. */
  private void end() {
    recordings.values().forEach(recording -> recording.rounds.end());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
    boolean areAllEnded = true;
    for (Recording recording : recordings.values()) {
      try {
        do {
          recording.thread.join(PAUSE_MILLIS);
        } while (recording.thread.isAlive() && (recording.isSaving || System.nanoTime() < end));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (recording.thread.isAlive()) {
        areAllEnded = false;
        CommandMessages.say(
            "process %s: it does not answer, and the kernel may keep this command until it does:"
                + " end that process",
            recording.jvm.pid());
      }
    }
    endOld(List.of());
    if (areAllEnded) {
      shared.close();
    }
  }

  /** Shutdown hook: on Ctrl-C, lets the recordings be completed before this JVM exits. */
  private void interrupt() {
    interrupted.countDown();
    LastSignal.await(finished);
  }

  /** Of one JVM. */
  private final class Recording implements Runnable {
    final Jvm jvm;
    final RecordingRounds rounds;
    final Thread thread;

    /** Whether its file is written. */
    volatile boolean isSaving;

    /** Whether samples are taken, or were. */
    private volatile boolean hasBegun;

    // What follows is read when the thread has ended.
    /** Why it could not be recorded; empty if it was. */
    String failure = "";

    /** Whether a thread still waits for it. */
    boolean isSilent;

    /** How long it took. */
    long nanos;

    Recording(Jvm jvm) {
      this.jvm = jvm;
      RemoteRecording.Request samples =
          new RemoteRecording.Request(RemoteRecording.NO_EVENTS, Map.of(), plan.eachMillis(), 0, 0);
      this.rounds = new RecordingRounds(samples, leftMillis(), (millis, taken) -> hasBegun = true);
      this.thread = DaemonThread.of("stackweave-record-" + jvm.pid(), this);
    }

    /** Whether it is not known yet if samples are taken. */
    boolean isBeginning() {
      return !hasBegun && thread.isAlive();
    }

    @Override
    public void run() {
      long begin = System.nanoTime();
      try {
        record();
      } catch (FailedException e) {
        failure = FailedException.worded(e);
      } catch (IOException | RuntimeException | Error e) {
        failure = "it is not recorded (" + e + ")";
      } finally {
        nanos = System.nanoTime() - begin;
      }
    }

    private void take(
        RecordedFiles files, TargetProcess process, RoundRecording taken, boolean last)
        throws FailedException {
      isSaving = true;
      try {
        files.take(process, taken, last);
      } finally {
        isSaving = false;
      }
    }

    private void record() throws FailedException, IOException {
      TargetProcess process = TargetProcess.open(jvm.pid());
      try (Recorder recorder = new OutsideRecorder(shared, process, null, "", request)) {
        if (!users.has(process.uid())) {
          throw new FailedException("it is another user's by now");
        }
        String whyNot = shared.whyNot(process, request);
        if (!whyNot.isEmpty()) {
          throw new FailedException(whyNot);
        }
        RecordedFiles files =
            new RecordedFiles(
                jvm.pid(),
                Outputs.recording(plan.output()),
                RecordedFiles.Kind.MANY,
                plan.eachMillis(),
                false,
                SampleChoice.CPU);
        CommandMessages.say("process %s: recording begins", jvm.pid());
        rounds.run(recorder, (taken, last) -> take(files, process, taken, last));
      } finally {
        isSilent = process.isKeptOpen();
      }
    }
  }
}
