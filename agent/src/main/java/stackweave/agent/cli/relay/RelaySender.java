package stackweave.agent.cli.relay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import stackweave.agent.cli.collector.Delivery;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.live.LiveRounds;
import stackweave.jfr.export.Selection;
import stackweave.jfr.export.otlp.OtlpEndpoint;
import stackweave.jfr.export.otlp.OtlpExport;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * Sends recordings on a thread of its own, in their order, so that recording goes on while a
 * collector does not answer. What waits is bounded: the oldest is given up, and counted. The files
 * are deleted here. Thread-safe.
 */
final class RelaySender implements LiveRounds.Taker {
  /** With 10 s each, five minutes without a collector lose nothing. */
  private static final int MAX_WAITING = 30;

  private static final long MAX_WAITING_BYTES = 256L << 20;

  /** After Ctrl-C; a container's grace is 10 s. */
  private static final long MAX_END_MILLIS = 8_000;

  private final OtlpEndpoint collector;
  private final String service;
  private final SampleChoice choice;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final Thread thread = new Thread(this::run, "stackweave-relay");
  private boolean isClosed;
  private boolean isSending;
  private long sent;
  private long sentSamples;
  private long lost;
  private String lastProblem = "";
  private boolean isNothingSaid;

  /** A recording of one round, without what the one before it had. */
  private record Waiting(Path file, long bytes) {}

  /**
   * @param choice which samples are sent
   */
  RelaySender(OtlpEndpoint collector, String service, SampleChoice choice) {
    this.collector = collector;
    this.service = service;
    this.choice = choice;
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void take(Path recording) throws FailedException {
    try {
      add(new Waiting(recording, Files.size(recording)));
    } catch (IOException e) {
      throw new FailedException("can't read " + recording + ": " + FailedException.reason(e));
    }
  }

  private synchronized void add(Waiting recording) {
    waiting.add(recording);
    while (waiting.size() > 1
        && (waiting.size() > MAX_WAITING
            || waiting.stream().mapToLong(Waiting::bytes).sum() > MAX_WAITING_BYTES)) {
      delete(waiting.remove().file());
      lose("too many wait for " + collector.uri());
    }
    notifyAll();
  }

  /** Counts a profile that was lost, and says why, once. */
  @Override
  public synchronized void lose(String why) {
    lost++;
    if (!why.equals(lastProblem)) {
      lastProblem = why;
      System.err.println("stackweave: a profile was lost: " + Plain.line(why));
    }
  }

  private void run() {
    try {
      for (Waiting next = next(); next != null; next = next()) {
        try {
          send(next.file());
        } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
          // Of what one recording says; the next one is another.
          lose("a profile could not be made: " + e);
        }
        delete(next.file());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      System.err.println("stackweave: " + file + " is left: " + FailedException.reason(e));
    }
  }

  private synchronized Waiting next() throws InterruptedException {
    isSending = false;
    notifyAll();
    while (waiting.isEmpty() && !isClosed) {
      wait();
    }
    isSending = !waiting.isEmpty();
    return waiting.poll();
  }

  private void send(Path file) throws InterruptedException {
    try {
      SampledRecording recording =
          SampledRecording.open(
              file, ReadingProgress.NONE, false, SampledFrame.Change.NONE, choice);
      OtlpExport export = new OtlpExport(service, Selection.ALL, false);
      Delivery.send(collector, export.message(recording));
      count(recording.samples());
    } catch (RecordingException e) {
      if (!e.isWithoutSamples()) {
        lose(FailedException.worded(e));
      } else if (choice.isEvent()) {
        sayNothing(file, FailedException.worded(e));
      }
    } catch (FailedException e) {
      lose(FailedException.worded(e));
    }
  }

  /** An event may be refused, which the recording says; CPU time is none of an idle program. */
  private synchronized void sayNothing(Path file, String why) {
    if (!isNothingSaid) {
      isNothingSaid = true;
      String said = why.replace(file + ": ", "");
      System.err.println("stackweave: nothing to send: " + Plain.line(said));
    }
  }

  private synchronized void count(long samples) {
    sent++;
    sentSamples += samples;
    isNothingSaid = false;
    if (!lastProblem.isEmpty()) {
      lastProblem = "";
      System.err.println("stackweave: " + collector.uri() + " takes profiles again");
    }
  }

  /** How many profiles were lost. */
  synchronized long lost() {
    return lost;
  }

  /** Sends what waits, for some seconds at most, and says how many were sent and lost. */
  void close() {
    synchronized (this) {
      isClosed = true;
      notifyAll();
    }
    try {
      thread.join(MAX_END_MILLIS);
      thread.interrupt();
      thread.join(MAX_END_MILLIS / 8);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      long left = waiting.size() + (isSending ? 1 : 0);
      if (left > 0) {
        lost += left;
        System.err.println(
            "stackweave: not sent before the end: "
                + left
                + "; "
                + collector.uri()
                + " has not answered, or could not be reached");
      }
      System.err.println(
          "stackweave: profiles sent: "
              + sent
              + ", with "
              + sentSamples
              + " samples; lost: "
              + lost);
    }
  }
}
