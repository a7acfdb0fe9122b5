package stackweave.jfr.weave;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;

/**
 * Decides which chunks of the inputs come into the output, and in which order: those of one JVM
 * together, by time, each once; before them one that has the types of JFR's events, because the
 * command {@code jfr view} knows only those of a file's first chunk. Reads all inputs once. Not
 * thread-safe.
 */
final class MergePlan {
  /** By how much a JVM's clock may say that it started before its process did. */
  private static final long CLOCK_MILLIS = 1_000;

  /** The longest time from a process's start to its JVM's. */
  private static final long MOST_START_MILLIS = 60_000;

  private final List<Path> files;
  private final List<JvmChunks> jvms = new ArrayList<>();
  private final List<String> losses = new ArrayList<>();
  private int duplicates;

  /** Begins of chunks whose samples another chunk has, by JVM. */
  private final Map<JvmChunks, Set<Long>> wovenElsewhere = new HashMap<>();

  private MergePlan(List<Path> files) {
    this.files = files;
  }

  /**
   * Reads the inputs.
   *
   * @throws RecordingException if one of them can't be read at all, or they can't be one file
   */
  static MergePlan of(List<Path> files, ReadingProgress progress) throws RecordingException {
    MergePlan plan = new MergePlan(files);
    List<ChunkScan> scans = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      plan.scan(i, scans, progress);
    }
    plan.group(scans);
    for (JvmChunks jvm : plan.jvms) {
      plan.takeOnce(jvm);
      jvm.finish();
    }
    plan.jvms.sort(
        Comparator.comparing((JvmChunks jvm) -> types(jvm.chunks.get(0)))
            .thenComparing(JvmChunks::startNanos));
    plan.mustBeOneBuild();
    return plan;
  }

  private void scan(int input, List<ChunkScan> scans, ReadingProgress progress)
      throws RecordingException {
    Path file = files.get(input);
    ChunkList list = ChunkList.scan(file);
    for (String loss : list.losses()) {
      losses.add(file + ": " + loss);
    }
    List<ChunkHeader> headers = list.chunks();
    String why = String.join("; ", list.losses());
    boolean isAnyRead = false;
    long samples = 0;
    try (ChunkSource source = new ChunkSource(file)) {
      ChunkScan before = null;
      for (int i = 0; i < headers.size(); i++) {
        ChunkHeader header = headers.get(i);
        try {
          ChunkScan scan = ChunkScan.of(input, source, header, before);
          RecordingException.ifLaterSchema(file, scan.schema, scan.agentVersion);
          before = scan;
          isAnyRead = true;
          samples += scan.samples;
          if (!scan.isSeparator) {
            scans.add(scan);
          }
        } catch (IOException e) {
          why = "chunk " + (i + 1) + " can't be read and is left out: " + ChunkList.oneLine(e);
          losses.add(file + ": " + why);
        }
        progress.read(header.end(), headers.get(headers.size() - 1).end(), samples);
      }
    } catch (IOException e) {
      throw new RecordingException(file + ": can't be read: " + ChunkList.oneLine(e), e);
    }
    if (!isAnyRead) {
      throw new RecordingException(file + ": " + why);
    }
  }

  // ---- whose chunk it is

  private void group(List<ChunkScan> scans) {
    // Chunks without sampling name their JVM only by JFR's own event, which others have, too.
    Map<String, String> sessionOfJvm = new HashMap<>();
    for (ChunkScan scan : scans) {
      if (!scan.jvm.isEmpty() && !scan.session.isEmpty()) {
        sessionOfJvm.putIfAbsent(scan.jvm, scan.session);
      }
    }
    Map<String, JvmChunks> byName = new LinkedHashMap<>();
    for (ChunkScan scan : scans) {
      String name = scan.session;
      if (name.isEmpty() && !scan.jvm.isEmpty()) {
        name = sessionOfJvm.computeIfAbsent(scan.jvm, jvm -> sessionBeside(scan, scans));
      }
      // Chunks of a file that name no JVM are taken for one JVM's.
      boolean isCertain = !name.isEmpty();
      byName
          .computeIfAbsent(
              isCertain ? name : "file " + scan.input,
              key -> {
                JvmChunks jvm = new JvmChunks(isCertain);
                jvms.add(jvm);
                return jvm;
              })
          .chunks
          .add(scan);
    }
  }

  /**
   * The session whose samples were taken from outside the JVM, and so are in chunks of their own:
   * of the process of this id, and of the one that had it last when the JVM started. If processes
   * of several containers have one id, those of the same file count.
   *
   * @return the JVM itself if there is none
   */
  private static String sessionBeside(ChunkScan chunk, List<ChunkScan> scans) {
    ChunkScan best = null;
    for (ChunkScan scan : scans) {
      long before = chunk.startMillis - scan.startMillis;
      boolean isBeside =
          scan.jvm.isEmpty()
              && !scan.session.isEmpty()
              && scan.pid == chunk.pid
              && before >= -CLOCK_MILLIS
              && before <= MOST_START_MILLIS;
      if (isBeside && (best == null || rank(scan, chunk) < rank(best, chunk))) {
        best = scan;
      }
    }
    return best == null ? chunk.jvm : best.session;
  }

  private static long rank(ChunkScan session, ChunkScan chunk) {
    long before = chunk.startMillis - session.startMillis + CLOCK_MILLIS;
    return session.input == chunk.input ? before : before + Integer.MAX_VALUE;
  }

  /** Orders the chunks of a JVM; of several versions of one it takes the longest. */
  private void takeOnce(JvmChunks jvm) {
    List<ChunkScan> chunks = jvm.chunks;
    chunks.sort(
        Comparator.comparingLong((ChunkScan scan) -> scan.header.startNanos())
            .thenComparingLong(scan -> scan.header.startTicks())
            .thenComparing(Comparator.comparingLong(MergePlan::size).reversed())
            .thenComparing(scan -> !scan.header.isFinished())
            .thenComparing(scan -> scan.mark != null)
            .thenComparingInt(scan -> scan.input));
    List<ChunkScan> once = new ArrayList<>();
    Set<Long> elsewhere = new HashSet<>();
    for (ChunkScan scan : chunks) {
      ChunkScan last = once.isEmpty() ? null : once.get(once.size() - 1);
      if (last != null
          && last.header.startNanos() == scan.header.startNanos()
          && last.header.startTicks() == scan.header.startTicks()) {
        duplicates++;
        continue;
      }
      once.add(scan);
      if (scan.mark != null && scan.mark.startNanos() != scan.header.startNanos()) {
        elsewhere.add(scan.mark.startNanos());
      }
    }
    chunks.clear();
    chunks.addAll(once);
    ChunkScan first = Collections.min(once, Comparator.comparing(MergePlan::types));
    chunks.remove(first);
    chunks.add(0, first);
    wovenElsewhere.put(jvm, elsewhere);
  }

  /** What a chunk tells of JFR's types, the most first. */
  private enum Types {
    ALL,
    /** Those of samples, which are woven into it. */
    WOVEN,
    /** Those of samples, if they are woven now. */
    TO_BE_WOVEN,
    NONE
  }

  private static Types types(ChunkScan scan) {
    if (scan.hasJfrTypes) {
      return Types.ALL;
    }
    if (scan.mark != null) {
      return Types.WOVEN;
    }
    return scan.samples > 0 ? Types.TO_BE_WOVEN : Types.NONE;
  }

  private static long size(ChunkScan scan) {
    return scan.header.size();
  }

  /**
   * JFR's readers keep the type of an id for a whole file, even across a separator, so JVMs of
   * different builds can't be in one.
   */
  private void mustBeOneBuild() throws RecordingException {
    Map<Long, String> names = new HashMap<>();
    ChunkScan first = null;
    for (JvmChunks jvm : jvms) {
      ChunkScan chunk = jvm.chunks.get(0);
      first = first == null ? chunk : first;
      for (Map.Entry<Long, String> type : chunk.pooledTypes.entrySet()) {
        String other = names.putIfAbsent(type.getKey(), type.getValue());
        if (other != null && !other.equals(type.getValue())) {
          throw new RecordingException(
              files.get(first.input)
                  + build(first)
                  + " and "
                  + files.get(chunk.input)
                  + build(chunk)
                  + " are of different releases of the JDK, which JFR's tools can't read from one"
                  + " file: merge those of each release by themselves");
        }
      }
    }
  }

  private static String build(ChunkScan scan) {
    return scan.jdk.isEmpty() ? "" : " (" + scan.jdk + ")";
  }

  // ---- the plan

  /** The JVMs in their order in the output; each has one chunk at least. */
  List<JvmChunks> jvms() {
    return jvms;
  }

  /**
   * Whether the samples of a chunk are woven already: into itself, or into a chunk of their own.
   */
  boolean isWoven(JvmChunks jvm, ChunkScan chunk) {
    return chunk.mark != null || wovenElsewhere.get(jvm).contains(chunk.header.startNanos());
  }

  /** How many chunks are in several inputs and were left out. */
  int duplicates() {
    return duplicates;
  }

  /** What can't be read, one line each. */
  List<String> losses() {
    return losses;
  }

  /** A chunk with the types of JFR's own samples, which all chunks of JFR's share; or null. */
  ChunkScan withJfrTypes() {
    for (JvmChunks jvm : jvms) {
      for (ChunkScan chunk : jvm.chunks) {
        if (chunk.hasJfrTypes) {
          return chunk;
        }
      }
    }
    return null;
  }

  /** The file that a chunk is in. */
  Path file(ChunkScan chunk) {
    return files.get(chunk.input);
  }
}
