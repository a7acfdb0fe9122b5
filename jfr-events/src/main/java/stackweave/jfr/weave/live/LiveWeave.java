package stackweave.jfr.weave.live;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.weave.format.EncodedBytes;
import stackweave.jfr.weave.format.FileIds;
import stackweave.jfr.weave.format.HeaderBytes;
import stackweave.jfr.weave.format.WovenMark;

/**
 * Weaves the samples of a running JVM: what is encoded while a chunk of JFR is open is put behind
 * it, as a chunk of its own, when JFR has finished it. The store of the samples calls it; all but
 * what is said to be for any thread, and {@link #finished}, is called under the lock of its gate.
 * Nothing here may keep a sample, or JFR, from going on: what fails is counted, and said.
 */
public final class LiveWeave {
  /** Weaves nothing, for nobody asks for it. */
  public static final LiveWeave NONE = off("");

  /** The most that is put behind one chunk, but for one stack. */
  public static final int MAX_BYTES = 16 << 20;

  /** In memory a piece is ended when it has so much: the oldest of three is dropped. */
  private static final int MEMORY_PIECE_BYTES = MAX_BYTES / 3;

  /** Pieces that wait for the end of a chunk, in a recording that JFR keeps in memory. */
  private static final int MAX_WAITING = 2;

  private static final int COPY_BYTES = 1 << 18;

  /**
   * Of all that were ever in the process, for a recording may outlive an agent that is detached and
   * attached again. Given by one thread at a time.
   */
  private static final FileIds IDS = new FileIds();

  /** Of marks, which are given on any thread. */
  private static final AtomicLong NEXT_TEXT = new AtomicLong(FileIds.FIRST_TEXT);

  /** Null if nothing can be woven. */
  private final LiveTypes types;

  private final LiveEncoder encoder;
  private final List<Path> directories;
  private final String session;

  /** For {@link #finished} only, which JFR's lock lets one thread at a time call. */
  private final byte[] buffer;

  /** Ended, and not yet behind a chunk; the oldest first. Immutable lists. */
  private final AtomicReference<List<LivePiece>> waiting = new AtomicReference<>(List.of());

  private final AtomicReference<List<LivePiece>> free = new AtomicReference<>(List.of());

  /** Null until there is a sample. */
  private LivePiece open;

  private int pieces;

  /** The number of the chunk that samples were written to last. */
  private int openChunk;

  /** Whether a chunk ended whose samples were not told from those of the next. */
  private volatile boolean isEndMissed;

  private final AtomicLong unwoven = new AtomicLong();
  private final AtomicLong woven = new AtomicLong();
  private volatile String note;
  private volatile boolean isResting;

  private LiveWeave(
      LiveTypes types, LiveStacks stacks, List<Path> directories, String session, String note) {
    this.types = types;
    this.encoder = types == null ? null : new LiveEncoder(types, stacks, IDS);
    this.buffer = types == null ? null : new byte[COPY_BYTES];
    this.directories = directories;
    this.session = session;
    this.note = note;
  }

  /**
   * Weaves.
   *
   * @param jvmMetadata the JVM's own, as they are in a chunk behind their id
   * @param stacks what ids of samples mean
   * @param directories where what is encoded waits: the first that takes a file
   * @param session the id of the session
   * @throws IOException if the metadata are laid out as in no JDK that is known, or no directory
   *     takes a file
   */
  public static LiveWeave of(
      byte[] jvmMetadata, LiveStacks stacks, List<Path> directories, String session)
      throws IOException {
    LiveWeave weave = new LiveWeave(new LiveTypes(jvmMetadata), stacks, directories, session, "");
    weave.rehearse();
    return weave;
  }

  /**
   * Puts a piece without samples behind a chunk without events: what that needs of classes is
   * loaded here, and not while a thread of the application ends a chunk.
   */
  private void rehearse() throws IOException {
    try (LiveFile file = LiveFile.in(directories)) {
      EncodedBytes header = new EncodedBytes(ChunkHeader.BYTES);
      HeaderBytes.append(header, ChunkHeader.BYTES, 0, 0, 1, 1, 1);
      file.addEvents(header);
      LivePiece piece = new LivePiece(types, directories);
      piece.begin(++pieces);
      piece.end();
      append(file.file(), List.of(piece));
    }
  }

  /** Weaves nothing, and counts what is not woven. */
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
      LivePiece piece = piece();
      if (bytes() >= MAX_BYTES) {
        unwoven.incrementAndGet();
        return;
      }
      encoder.sample(piece, ticks, threadKey, stackId, endCode);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      unwoven.incrementAndGet();
      note = "not woven: what is encoded can't be kept (" + e + ")";
      dropOpen();
    }
  }

  private long bytes() {
    long bytes = open.size();
    List<LivePiece> ended = waiting.get();
    for (int i = 0; i < ended.size(); i++) {
      bytes += ended.get(i).size();
    }
    return bytes;
  }

  private LivePiece piece() throws IOException {
    if (open == null) {
      isResting = false;
      LivePiece piece = takeFree();
      piece.begin(++pieces);
      open = piece;
    }
    return open;
  }

  private LivePiece takeFree() {
    List<LivePiece> all = free.get();
    while (!all.isEmpty()) {
      if (free.compareAndSet(all, all.subList(1, all.size()))) {
        return all.get(0);
      }
      all = free.get();
    }
    return new LivePiece(types, directories);
  }

  private void giveBack(List<LivePiece> pieces) {
    if (pieces.isEmpty()) {
      return;
    }
    free.updateAndGet(
        all -> {
          List<LivePiece> more = new ArrayList<>(all);
          more.addAll(pieces);
          return more;
        });
    if (isResting) {
      closeFree();
    }
  }

  private void closeFree() {
    for (LivePiece piece : free.getAndSet(List.of())) {
      piece.closeFile();
    }
  }

  private void dropMissed() {
    isEndMissed = false;
    if (open != null && open.samples() > 0) {
      note = "not woven: samples of a chunk whose end could not wait for the drain thread";
    }
    dropOpen();
  }

  private void dropOpen() {
    if (open != null) {
      drop(List.of(open));
      open = null;
    }
  }

  private void drop(List<LivePiece> pieces) {
    for (LivePiece piece : pieces) {
      unwoven.addAndGet(piece.samples());
    }
    giveBack(pieces);
  }

  // ---- chunks

  /**
   * Samples of a chunk follow, of another one perhaps than those before.
   *
   * @param chunk its number
   */
  public void entered(int chunk) {
    if (chunk != openChunk) {
      openChunk = chunk;
      if (isEndMissed) {
        dropMissed();
      }
    }
  }

  /** A chunk ends: what is encoded is its samples, and waits for {@link #finished}. */
  public void chunkEnds() {
    if (isEndMissed) {
      dropMissed();
    }
    end();
  }

  /** A chunk ended and could not wait for the gate's lock. Any thread. */
  public void endMissed() {
    isEndMissed = true;
  }

  /** The lock that was missed is free now, and the next chunk has not begun. */
  public void endLate() {
    isEndMissed = false;
    end();
  }

  private void end() {
    if (open == null || open.samples() == 0) {
      return;
    }
    LivePiece ended = open;
    open = null;
    ended.end();
    List<LivePiece> before = waiting.get();
    int dropped = before.size() < MAX_WAITING ? 0 : 1;
    List<LivePiece> after = new ArrayList<>(before.subList(dropped, before.size()));
    after.add(ended);
    if (waiting.compareAndSet(before, List.copyOf(after))) {
      drop(before.subList(0, dropped));
    } else {
      waiting.set(List.of(ended)); // a finished chunk has taken the others meanwhile
    }
  }

  /**
   * A recording in memory goes on for long, and loses its oldest events: so does what is encoded.
   */
  public void keepNewest() {
    if (open != null && open.size() >= MEMORY_PIECE_BYTES) {
      end();
    }
  }

  /** Whether pieces wait for the end of a chunk that did not come with the end of theirs. */
  public boolean isWaiting() {
    return !waiting.get().isEmpty();
  }

  /** No chunk is to have what waits. Any thread. */
  public void dropWaiting() {
    drop(waiting.getAndSet(List.of()));
  }

  /** JFR records nothing: no chunk is to have what is encoded. */
  public void discard() {
    dropOpen();
    dropWaiting();
  }

  /** The store forgets its stacks and threads, whose ids do not come again. */
  public void forgetStacks() {
    if (encoder != null) {
      encoder.forgetStacks();
    }
  }

  /** Nobody writes samples for a while: gives back the files that nothing is in. */
  public void rest() {
    isResting = true;
    if (open != null && open.samples() == 0) {
      giveBack(List.of(open));
      open = null;
    }
    closeFree();
  }

  /**
   * JFR has finished a chunk: puts behind it what is encoded. Called on whatever thread ended the
   * chunk, with JFR's lock, by one thread at a time. Throws nothing; on a failure the file is what
   * it was.
   *
   * @param file the chunk's
   */
  public void finished(String file) {
    List<LivePiece> ended = waiting.getAndSet(List.of());
    if (ended.isEmpty()) {
      return;
    }
    try {
      append(file, ended);
      long samples = 0;
      for (LivePiece piece : ended) {
        samples += piece.samples();
      }
      woven.addAndGet(samples);
      note = ""; // what failed before has been said in the chunk that has ended
      giveBack(ended);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      note = "not woven: " + file + " can't be made longer (" + e + ")";
      drop(ended);
    }
  }

  private void append(String file, List<LivePiece> ended) throws IOException {
    if (!new File(file).isFile()) {
      throw new FileNotFoundException("it is gone"); // opening it would make it
    }
    try (RandomAccessFile out = new RandomAccessFile(file, "rw")) {
      append(out, ended);
    }
  }

  private void append(RandomAccessFile out, List<LivePiece> ended) throws IOException {
    long length = out.length();
    ChunkHeader header = LivePiece.header(out);
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

  /** Samples behind finished chunks. Any thread. */
  public long woven() {
    return woven.get();
  }

  /** Why some, or all, are not woven; "" for no reason but {@link #MAX_BYTES}. Any thread. */
  public String note() {
    return note;
  }
}
