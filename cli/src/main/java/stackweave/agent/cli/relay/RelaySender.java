package stackweave.agent.cli.relay;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import stackweave.agent.cli.collector.CollectorOptions;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.live.LiveRounds;
import stackweave.jfr.export.Selection;
import stackweave.jfr.export.otlp.OtlpEndpoint;
import stackweave.jfr.export.otlp.OtlpExport;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.linux.DaemonThread;
import stackweave.linux.Descriptor;

/**
 * Sends recordings on a thread of its own, in their order, so that recording goes on while a
 * collector does not answer. The number of waiting recordings is bounded: the oldest is dropped,
 * and counted. Thread-safe.
 */
final class RelaySender implements LiveRounds.Taker {
  /** With rounds of 10 s, five minutes without a collector lose nothing. */
  private static final int MAX_WAITING = 30;

  private static final long MAX_WAITING_BYTES = 256L << 20;

  /** The limit after Ctrl-C; a container's grace period is 10 s. */
  private static final long MAX_END_MILLIS = 8_000;

  private final OtlpEndpoint collector;
  private final String service;
  private final SampleChoice choice;
  private final ThreadPoolExecutor thread;
  private long sent;
  private long sentSamples;
  private long lost;
  private String lastProblem = "";
  private boolean isNothingSaid;

  /** The recording of one round, without chunks that the previous round had. */
  private final class Sending implements Runnable {
    private final Descriptor file;
    private final long bytes;

    Sending(Descriptor file) throws IOException {
      this.file = file;
      this.bytes = Files.size(file.path());
    }

    @Override
    public void run() {
      try (file) {
        send(file);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
        // The failure concerns only this recording.
        lose("a profile could not be made: " + e);
      }
    }
  }

  /**
   * @param choice which samples are sent
   */
  RelaySender(OtlpEndpoint collector, String service, SampleChoice choice) {
    this.collector = collector;
    this.service = service;
    this.choice = choice;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> DaemonThread.of("stackweave-relay", work));
  }

  @Override
  public void take(Descriptor recording) throws FailedException {
    try {
      thread.execute(new Sending(recording));
    } catch (IOException e) {
      throw new FailedException("can't read a recording: " + FailedException.reason(e));
    }
    while (thread.getQueue().size() > 1
        && (thread.getQueue().size() > MAX_WAITING || waitingBytes() > MAX_WAITING_BYTES)) {
      if (thread.getQueue().poll() instanceof Sending oldest) {
        oldest.file.close();
        lose("too many wait for " + collector.uri());
      }
    }
  }

  private long waitingBytes() {
    return thread.getQueue().stream().mapToLong(each -> ((Sending) each).bytes).sum();
  }

  /** Counts a lost profile; reports the reason once. */
  @Override
  public synchronized void lose(String why) {
    lost++;
    if (!why.equals(lastProblem)) {
      lastProblem = why;
      CommandMessages.say("a profile was lost: %s", why);
    }
  }

  private void send(Descriptor file) throws InterruptedException {
    try {
      SampledRecording recording =
          SampledRecording.open(
              file.path(), ReadingProgress.NONE, false, SampledFrame.Change.NONE, choice);
      OtlpExport export = new OtlpExport(service, Selection.ALL);
      CollectorOptions.send(collector, export.message(recording));
      count(recording.samples());
    } catch (RecordingException e) {
      if (!e.isWithoutSamples()) {
        lose(FailedException.worded(e));
      } else if (choice.isEvent()) {
        sayNothing(FailedException.worded(e).replace(file.path() + ": ", ""));
      }
    } catch (FailedException e) {
      lose(FailedException.worded(e));
    }
  }

  /**
   * Reports once why nothing is sent: an event may be refused; an idle program uses no CPU time.
   */
  private synchronized void sayNothing(String why) {
    if (!isNothingSaid) {
      isNothingSaid = true;
      CommandMessages.say("nothing to send: %s", why);
    }
  }

  private synchronized void count(long samples) {
    sent++;
    sentSamples += samples;
    isNothingSaid = false;
    if (!lastProblem.isEmpty()) {
      lastProblem = "";
      CommandMessages.say("%s takes profiles again", collector.uri());
    }
  }

  /** How many profiles were lost. */
  synchronized long lost() {
    return lost;
  }

  /**
   * Sends waiting recordings, for some seconds at most, and reports numbers of sent and lost ones.
   */
  void close() {
    thread.shutdown();
    int left = 0;
    try {
      if (!thread.awaitTermination(MAX_END_MILLIS, TimeUnit.MILLISECONDS)) {
        left = thread.getActiveCount() + thread.shutdownNow().size();
        thread.awaitTermination(MAX_END_MILLIS / 8, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      if (left > 0) {
        lost += left;
        CommandMessages.say(
            "not sent before the end: %s; %s has not answered, or could not be reached",
            left, collector.uri());
      }
      CommandMessages.say("profiles sent: %s, with %s samples; lost: %s", sent, sentSamples, lost);
    }
  }
}
