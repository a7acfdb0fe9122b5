package stackweave.jfr.read;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.jdk.JdkSamples;

/**
 * The events of a recording, each with the session that it belongs to.
 *
 * <p>Only the session event names its session; all other events of its chunk belong to it. In a
 * whole file of one session all chunks do. Damage in one chunk affects no other.
 */
final class RecordingEvents {
  /** Receives samples and blocks, in no order but that of the file. */
  interface Sink {
    /**
     * What follows is of this session.
     *
     * @param session a number from 0 for each session
     */
    void begin(int session) throws RecordingException;

    /** A sample or a block of the session that was begun last. */
    void sample(SampleRecord sample);
  }

  /** Events between two reports of progress. */
  private static final int REPORT_EVERY = 1 << 14;

  /** The session of a chunk that can't be read up to its session event. */
  private static final int UNREADABLE = -1;

  private final Path file;
  private final ChunkList chunks;
  private final ReadingProgress progress;

  /** What is read instead of the agent's samples; null for these. */
  private final JdkSamples jdk;

  private final List<String> losses = new ArrayList<>();

  /** The session of each chunk; null until the first reading. */
  private int[] sessions;

  /** Why a chunk is unreadable, wholly or from some event on; null if it is not. */
  private final String[] reasons;

  /**
   * Up to where in the file each chunk can be read: the first reading may have ended at a broken
   * definition. Later ones, which skip definitions, end there too.
   */
  private final long[] readable;

  private long samples;

  /** The agent's events. */
  RecordingEvents(Path file, ReadingProgress progress) throws RecordingException {
    this(file, progress, ChunkList.scan(file), null);
  }

  private RecordingEvents(Path file, ReadingProgress progress, ChunkList chunks, JdkSamples jdk) {
    this.file = file;
    this.chunks = chunks;
    this.jdk = jdk;
    this.reasons = new String[chunks.chunks().size()];
    this.readable = new long[reasons.length];
    Arrays.fill(readable, Long.MAX_VALUE);
    this.progress = progress;
  }

  /**
   * The samples of the same recording that JFR or another profiler took.
   *
   * @param asked samples of time, of which these are the substitute, or of JFR's events
   */
  RecordingEvents ofJdk(SampleChoice asked) throws RecordingException {
    try (ChunkSource source = new ChunkSource(file)) {
      JdkSamples samples = new JdkSamples(source, chunks.chunks(), asked);
      return new RecordingEvents(file, progress, chunks, samples);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** What is read instead of the agent's samples; null for these. */
  JdkSamples jdk() {
    return jdk;
  }

  private RecordingException unreadable(IOException why) {
    return new RecordingException(file + ": can't be read: " + ChunkList.oneLine(why), why);
  }

  Path file() {
    return file;
  }

  /** What could not be read, one line each. */
  List<String> losses() {
    List<String> all = new ArrayList<>(chunks.losses());
    all.addAll(losses);
    return all;
  }

  /** Reads all events of the agent, or the others' samples with what they name. */
  void read(Gathering gathering) throws RecordingException {
    read(jdk == null ? EventDecoder.ALL : jdk.shapes(), gathering, gathering);
  }

  /** Reads all samples. */
  void readSamples(Sink sink) throws RecordingException {
    read(jdk == null ? EventDecoder.SAMPLES : jdk.shapes(), sink, null);
  }

  /** Reads all samples, and the threads that were blocked, which the agent alone records. */
  void readBlocked(Sink sink) throws RecordingException {
    read(jdk == null ? EventDecoder.SAMPLES_AND_BLOCKED : jdk.shapes(), sink, null);
  }

  /**
   * @param all the same object as {@code sink}; null for a later reading of samples alone
   */
  private void read(List<EventShape> shapes, Sink sink, Gathering all) throws RecordingException {
    if (chunks.chunks().isEmpty()) {
      throw new RecordingException(file + ": " + String.join("; ", chunks.losses()));
    }
    try (ChunkSource source = new ChunkSource(file)) {
      if (sessions == null) {
        findSessions(source);
      }
      readChunks(source, shapes, sink, all);
    } catch (IOException e) {
      throw unreadable(e);
    }
    // Damage behind samples loses none of them, even if all chunks are damaged.
    if (samples == 0 && losses.size() == chunks.chunks().size()) {
      throw new RecordingException(file + ": can't be read: " + losses.get(0));
    }
  }

  private void readChunks(ChunkSource source, List<EventShape> shapes, Sink sink, Gathering all)
      throws RecordingException {
    samples = 0;
    losses.clear();
    List<ChunkHeader> headers = chunks.chunks();
    for (int i = 0; i < headers.size(); i++) {
      if (sessions[i] != UNREADABLE) {
        ChunkReader reader = null;
        try {
          if (jdk != null && all != null) {
            all.define(jdk, i, sessions[i], source, headers.get(i));
          }
          reader = new ChunkReader(source, headers.get(i), shapes);
          readChunk(reader, i, sink, all);
        } catch (IOException e) {
          reasons[i] = ChunkList.oneLine(e);
          readable[i] = reader == null ? 0 : Math.min(readable[i], reader.position());
        }
      }
      if (reasons[i] != null) {
        losses.add("chunk " + (i + 1) + " can't be read: " + reasons[i]);
      }
    }
  }

  private void readChunk(ChunkReader reader, int chunk, Sink sink, Gathering all)
      throws IOException, RecordingException {
    int events = 0;
    for (int shape = reader.next(); shape >= 0; shape = reader.next()) {
      if (reader.position() > readable[chunk]) {
        break;
      }
      if (events == 0) {
        sink.begin(sessions[chunk]);
      }
      if (jdk != null) {
        SampleRecord sample = jdk.sample(chunk, shape, reader);
        if (sample != null) {
          samples++;
          sample.attributesId = EventDecoder.NO_ATTRIBUTES;
          sink.sample(sample);
        }
      } else if (shape <= EventDecoder.BLOCKED) {
        samples += shape == EventDecoder.BLOCKED ? 0 : 1;
        sink.sample(EventDecoder.sample(shape, reader));
      } else {
        all.define(shape, reader);
      }
      events++;
      if (events % REPORT_EVERY == 0) {
        progress.read(reader.position(), chunks.end(), samples);
      }
    }
    progress.read(reader.position(), chunks.end(), samples);
  }

  /**
   * Gives each chunk its session: by the id in its session event, which is near its beginning, or
   * of the JVM that JFR names. All chunks of a whole file are of one session if no two name
   * different ones.
   */
  private void findSessions(ChunkSource source) {
    List<ChunkHeader> headers = chunks.chunks();
    Map<String, Integer> numbers = new HashMap<>();
    sessions = new int[headers.size()];
    boolean isAnyUnreadable = false;
    for (int i = 0; i < headers.size(); i++) {
      try {
        String id =
            jdk != null
                ? jdk.processId(i)
                : sessionId(new ChunkReader(source, headers.get(i), EventDecoder.SESSIONS));
        numbers.putIfAbsent(id, numbers.size());
        sessions[i] = numbers.get(id);
      } catch (IOException e) {
        sessions[i] = UNREADABLE;
        reasons[i] = ChunkList.oneLine(e);
        isAnyUnreadable = true;
      }
    }
    numbers.remove("");
    if (chunks.isWhole() && !isAnyUnreadable && numbers.size() == 1) {
      Arrays.fill(sessions, 0);
    }
  }

  /** The id of a chunk's session; empty for none. */
  private static String sessionId(ChunkReader reader) throws IOException {
    while (reader.next() >= 0) {
      String id = EventDecoder.sessionId(reader);
      if (!id.isEmpty()) {
        return id;
      }
    }
    return "";
  }
}
