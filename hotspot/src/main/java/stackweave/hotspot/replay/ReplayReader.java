package stackweave.hotspot.replay;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;
import stackweave.hotspot.replay.ReplayFile.Sample;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Reads replay files, which come from other people: every count is bounded before memory is taken
 * for it.
 */
public final class ReplayReader {
  private static final int MAX_TEXT_BYTES = 1 << 20;
  private static final int MAX_ENTRIES = 1 << 16;
  private static final int MAX_LINES = (32 << 20) / RecordedLines.LINE;
  private static final int MAX_RULE_WORDS = 64;

  private final DataInputStream in;

  private static final long MAX_FILE_BYTES = 64 << 20;

  private ReplayReader(DataInputStream in) {
    this.in = in;
  }

  /**
   * Reads a file, and the base that it may need: {@code BASE.replay} beside it.
   *
   * @return the file, completed by its base
   * @throws ReplayFormatException if either is no replay file
   * @throws IOException if either can't be read
   */
  public static ReplayFile read(Path file) throws IOException {
    ReplayFile replay = readAlone(file);
    if (!replay.needsBase()) {
      return replay;
    }
    if (!replay.base().matches("[A-Za-z0-9_-]+")) {
      throw new ReplayFormatException("a broken replay file: name of its base");
    }
    return replay.on(readAlone(file.resolveSibling(replay.base() + ".replay")));
  }

  private static ReplayFile readAlone(Path file) throws IOException {
    if (Files.size(file) > MAX_FILE_BYTES) {
      throw new ReplayFormatException("too large for a replay file");
    }
    return read(Files.readAllBytes(file));
  }

  /**
   * The file that these bytes are.
   *
   * @throws ReplayFormatException if they are none
   */
  public static ReplayFile read(byte[] bytes) throws ReplayFormatException {
    byte[] magic = ReplayWriter.MAGIC;
    if (bytes.length <= magic.length
        || !Arrays.equals(magic, 0, magic.length, bytes, 0, magic.length)) {
      throw new ReplayFormatException("no replay file");
    }
    int version = bytes[magic.length];
    if (version != ReplayWriter.VERSION) {
      throw new ReplayFormatException("a replay file of version " + version + ", unknown here");
    }
    int from = magic.length + 1;
    try (DataInputStream in =
        new DataInputStream(
            new InflaterInputStream(new ByteArrayInputStream(bytes, from, bytes.length - from)))) {
      ReplayFile file = new ReplayReader(in).file();
      if (in.read() >= 0) {
        throw new ReplayFormatException("a broken replay file: more than a file");
      }
      return file;
    } catch (EOFException e) {
      throw new ReplayFormatException("a replay file cut short");
    } catch (ZipException | IllegalArgumentException e) {
      throw new ReplayFormatException("a broken replay file: " + e.getMessage());
    } catch (ReplayFormatException e) {
      throw e;
    } catch (IOException e) {
      throw new ReplayFormatException("a broken replay file: " + e);
    }
  }

  private ReplayFile file() throws IOException {
    String base = text();
    Map<String, String> facts = new TreeMap<>();
    for (int i = count(MAX_ENTRIES); i > 0; i--) {
      facts.put(text(), text());
    }
    Architecture architecture = Architecture.valueOf(text());
    Map<String, Long> symbols = new TreeMap<>();
    for (int i = count(MAX_ENTRIES); i > 0; i--) {
      symbols.put(text(), in.readLong());
    }
    List<RecordedModule> modules = new ArrayList<>();
    for (int i = count(MAX_ENTRIES); i > 0; i--) {
      modules.add(module());
    }
    RecordedLines memory = memory();
    Sample sample = in.readBoolean() ? sample(architecture) : null;
    return new ReplayFile(base, facts, architecture, symbols, modules, memory, sample);
  }

  private RecordedModule module() throws IOException {
    String path = text();
    String buildId = text();
    long start = in.readLong();
    long end = in.readLong();
    long bias = in.readLong();
    UnwindSource source = UnwindSource.valueOf(text());
    int count = count(MAX_ENTRIES);
    long[] addresses = new long[count];
    long[][] rules = new long[count][];
    String[] symbols = new String[count];
    for (int i = 0; i < count; i++) {
      addresses[i] = in.readLong();
      symbols[i] = text();
      rules[i] = new long[count(MAX_RULE_WORDS)];
      for (int k = 0; k < rules[i].length; k++) {
        rules[i][k] = in.readLong();
      }
    }
    mustAscend(addresses);
    return new RecordedModule(path, buildId, start, end, bias, source, addresses, rules, symbols);
  }

  private RecordedLines memory() throws IOException {
    int count = count(MAX_LINES);
    long[] lines = new long[count];
    byte[] bytes = new byte[count * RecordedLines.LINE];
    for (int i = 0; i < count; ) {
      long address = in.readLong();
      int run = count(count - i);
      if (run == 0 || address % RecordedLines.LINE != 0) {
        throw new ReplayFormatException("a broken replay file: memory out of line");
      }
      for (int k = 0; k < run; k++) {
        lines[i + k] = address + (long) k * RecordedLines.LINE;
      }
      in.readFully(bytes, i * RecordedLines.LINE, run * RecordedLines.LINE);
      i += run;
    }
    mustAscend(lines);
    return new RecordedLines(lines, bytes);
  }

  private Sample sample(Architecture architecture) throws IOException {
    int tid = in.readInt();
    Registers registers = new Registers(architecture);
    registers.setPc(in.readLong());
    if (in.readInt() != architecture.registerCount()) {
      throw new ReplayFormatException("a broken replay file: number of registers");
    }
    for (int i = 0; i < architecture.registerCount(); i++) {
      boolean known = in.readBoolean();
      long value = in.readLong();
      if (known) {
        registers.set(i, value);
      }
    }
    long stackAddress = in.readLong();
    byte[] stack = new byte[count(StackSnapshot.MAX_STACK_BYTES)];
    in.readFully(stack);
    return new Sample(tid, registers, stackAddress, stack);
  }

  private static void mustAscend(long[] addresses) throws ReplayFormatException {
    for (int i = 1; i < addresses.length; i++) {
      if (addresses[i - 1] >= addresses[i]) {
        throw new ReplayFormatException("a broken replay file: addresses out of order");
      }
    }
  }

  private int count(int max) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > max) {
      throw new ReplayFormatException("a broken replay file: " + count + " of at most " + max);
    }
    return count;
  }

  private String text() throws IOException {
    byte[] bytes = in.readNBytes(count(MAX_TEXT_BYTES));
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
