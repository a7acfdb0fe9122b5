package stackweave.jfr.weave;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.read.SampleDefinitions;
import stackweave.jfr.weave.format.EncodedBytes;
import stackweave.jfr.weave.format.FileIds;
import stackweave.jfr.weave.format.HeaderBytes;
import stackweave.jfr.weave.format.SampleEncoder;
import stackweave.jfr.weave.format.TraceLayout;
import stackweave.jfr.weave.format.WaitingBytes;
import stackweave.jfr.weave.format.WovenChunk;
import stackweave.jfr.weave.format.WovenMark;
import stackweave.jfr.weave.format.WovenTypes;

/**
 * Weaves the samples of a running JVM: those encoded while a chunk of JFR is open are appended to
 * it, as a chunk of their own, when JFR has finished it. Called by the store, under the lock of its
 * gate, except {@link #finished} and the methods for any thread. A failure must stop neither
 * sampling nor JFR: it is counted and reported.
 */
public final class LiveWeave {
  /** Weaves nothing, because it was not asked for. */
  public static final LiveWeave NONE = off("");

  /** Size at which a piece in memory ends; of three pieces the oldest is dropped. */
  private static final int MEMORY_PIECE_BYTES = WovenChunk.MAX_BYTES / 3;

  /** Pieces that wait for the end of a chunk, in a recording that JFR keeps in memory. */
  private static final int MAX_WAITING = 2;

  private static final int COPY_BYTES = 1 << 18;

  /**
   * Keys that are unique in the process, since a recording may outlive an agent that is detached
   * and attached again. Used by one thread at a time.
   */
  private static final FileIds IDS = new FileIds();

  /** Keys of marks, which are made on any thread. */
  private static final AtomicLong NEXT_TEXT = new AtomicLong(FileIds.FIRST_TEXT);

  /** Null if nothing can be woven. */
  private final WovenTypes types;

  private final SampleEncoder encoder;
  private final List<Path> directories;
  private final String session;

  /** Used by {@link #finished} only, which JFR's lock serialises. */
  private final byte[] buffer;

  /** Pieces that have ended and are not yet behind a chunk, the oldest first. Guarded by itself. */
  private final List<WovenChunk> waiting = new ArrayList<>();

  /** Null until there is a sample. */
  private WovenChunk open;

  private int pieces;

  /** How many chunks had ended when samples were written last. */
  private int chunksEnded;

  private final AtomicLong unwoven = new AtomicLong();
  private volatile String note;

  private LiveWeave(
      WovenTypes types,
      SampleDefinitions stacks,
      List<Path> directories,
      String session,
      String note) {
    this.types = types;
    this.encoder = types == null ? null : new SampleEncoder(types, stacks, IDS);
    this.buffer = types == null ? null : new byte[COPY_BYTES];
    this.directories = directories;
    this.session = session;
    this.note = note;
  }

  /**
   * Makes what weaves samples.
   *
   * @param jvmMetadata the JVM's own, as they are in a chunk behind their id
   * @param stacks what ids of samples mean
   * @param directories where encoded samples wait: the first is used that takes a file
   * @param session the id of the session
   * @throws IOException if the metadata are laid out as in no JDK that is known, or no directory
   *     takes a file
   */
  public static LiveWeave of(
      byte[] jvmMetadata, SampleDefinitions stacks, List<Path> directories, String session)
      throws IOException {
    LiveWeave weave =
        new LiveWeave(
            new WovenTypes(Metadata.of(jvmMetadata), TraceLayout.RUNNABLE),
            stacks,
            directories,
            session,
            "");
    weave.rehearse();
    return weave;
  }

  /**
   * Appends a piece without samples to a chunk without events, so that the classes for it are
   * loaded here, and not while a thread of the application ends a chunk.
   */
  private void rehearse() throws IOException {
    try (WaitingBytes file = WaitingBytes.in(directories)) {
      EncodedBytes header = new EncodedBytes(ChunkHeader.BYTES);
      HeaderBytes.append(header, ChunkHeader.BYTES, 0, 0, 1, WovenChunk.NO_DURATION, 1, 1);
      file.addEvents(header);
      WovenChunk piece = new WovenChunk(types, directories, ++pieces);
      piece.end();
      append(file.file(), List.of(piece));
    }
  }

  /** Weaves nothing, and counts the samples that are not woven. */
  public static LiveWeave off(String why) {
    return new LiveWeave(null, null, List.of(), "", why);
  }

  // ---- samples

  /**
   * Weaves a sample that was written to the chunk.
   *
   * @param ticks when it was taken, by JFR's clock; 0 if that is not known
   */
  public void sample(long ticks, long threadKey, long stackId, int endCode) {
    if (this == NONE) {
      return;
    }
    if (types == null || ticks == 0) {
      unwoven.incrementAndGet();
      return;
    }
    try {
      if (open == null) {
        open = new WovenChunk(types, directories, ++pieces);
      }
      if (bytes() >= WovenChunk.MAX_BYTES) {
        unwoven.incrementAndGet();
        return;
      }
      encoder.sample(open, ticks, threadKey, stackId, endCode, 1);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      unwoven.incrementAndGet();
      note = "not woven: what is encoded can't be kept (" + e + ")";
      dropOpen();
    }
  }

  private long bytes() {
    long bytes = open.size();
    synchronized (waiting) {
      for (int i = 0; i < waiting.size(); i++) {
        bytes += waiting.get(i).size();
      }
    }
    return bytes;
  }

  private void dropOpen() {
    if (open != null) {
      drop(List.of(open));
      open = null;
    }
  }

  private void drop(List<WovenChunk> pieces) {
    for (WovenChunk piece : pieces) {
      unwoven.addAndGet(piece.samples());
      piece.closeFile();
    }
  }

  // ---- chunks

  /**
   * Samples follow. Those of a chunk that ended without {@link #chunkEnds} can't be told from those
   * of the next, and are dropped.
   *
   * @param ended how many chunks have ended
   */
  public void entered(int ended) {
    if (ended != chunksEnded) {
      chunksEnded = ended;
      if (open != null && open.samples() > 0) {
        note = "not woven: samples of a chunk whose end could not wait for the drain thread";
      }
      dropOpen();
    }
  }

  /** A chunk ends: the encoded samples are complete, and wait for {@link #finished}. */
  public void chunkEnds() {
    if (open == null || open.samples() == 0) {
      return;
    }
    WovenChunk ended = open;
    open = null;
    ended.end();
    List<WovenChunk> dropped;
    synchronized (waiting) {
      waiting.add(ended);
      dropped = waiting.size() > MAX_WAITING ? List.of(waiting.remove(0)) : List.of();
    }
    drop(dropped);
  }

  private List<WovenChunk> takeWaiting() {
    synchronized (waiting) {
      List<WovenChunk> all = List.copyOf(waiting);
      waiting.clear();
      return all;
    }
  }

  /** Drops the oldest encoded samples, as a recording in memory loses its oldest events. */
  public void keepNewest() {
    if (open != null && open.size() >= MEMORY_PIECE_BYTES) {
      chunkEnds();
    }
  }

  /** Whether pieces wait for a chunk that JFR did not finish when theirs ended. */
  public boolean isWaiting() {
    synchronized (waiting) {
      return !waiting.isEmpty();
    }
  }

  /** Drops the pieces that wait: no chunk may get them. Any thread. */
  public void dropWaiting() {
    drop(takeWaiting());
  }

  /** JFR records nothing: drops all encoded samples. */
  public void discard() {
    dropOpen();
    dropWaiting();
  }

  /** The store forgets its stacks and threads, whose ids are not used again. */
  public void forgetStacks() {
    if (encoder != null) {
      encoder.forgetStacks();
    }
  }

  /**
   * JFR has finished a chunk: appends the samples that wait for it. Called on the thread that ended
   * the chunk, with JFR's lock, by one thread at a time. Throws nothing; after a failure the file
   * has its old content.
   *
   * @param file the chunk's
   */
  public void finished(String file) {
    List<WovenChunk> ended = takeWaiting();
    if (ended.isEmpty()) {
      return;
    }
    try {
      append(file, ended);
      for (WovenChunk piece : ended) {
        piece.closeFile();
      }
      note = ""; // an earlier failure was reported in the chunk that has ended
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      note = "not woven: " + file + " can't be made longer (" + e + ")";
      drop(ended);
    }
  }

  private void append(String file, List<WovenChunk> ended) throws IOException {
    if (!new File(file).isFile()) {
      throw new FileNotFoundException("it is gone"); // to open it would create it
    }
    try (RandomAccessFile out = new RandomAccessFile(file, "rw")) {
      append(out, ended);
    }
  }

  private void append(RandomAccessFile out, List<WovenChunk> ended) throws IOException {
    long length = out.length();
    ChunkHeader header = WovenChunk.header(out);
    if (!header.isFinished() || header.size() != length) {
      throw new IOException("it is not one finished chunk");
    }
    WovenMark mark = new WovenMark(header.startNanos(), length, session);
    boolean isWritten = false;
    try {
      for (int i = 0; i < ended.size(); i++) {
        ended.get(i).append(out, header, i, NEXT_TEXT.getAndIncrement(), mark, buffer);
      }
      isWritten = true;
    } finally {
      if (!isWritten) {
        out.setLength(length);
      }
    }
  }

  // ---- figures

  /** Samples that were written and are not woven. Any thread. */
  public long unwoven() {
    return unwoven.get();
  }

  /**
   * Why samples are not woven; "" if only {@link WovenChunk#MAX_BYTES} is the reason. Any thread.
   */
  public String note() {
    return note;
  }
}
