package stackweave.hotspot.replay;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import stackweave.unwind.Registers;

/**
 * Replay files as bytes: eight bytes {@code SWREPLAY}, one byte of version, then a zlib stream of
 * the fields of {@link ReplayFile} in their order; numbers big-endian, texts UTF-8 behind their
 * length, lists behind their count, memory as runs of lines.
 */
public final class ReplayWriter {
  static final byte[] MAGIC = "SWREPLAY".getBytes(StandardCharsets.US_ASCII);
  static final int VERSION = 1;

  private final DataOutputStream out;

  private ReplayWriter(DataOutputStream out) {
    this.out = out;
  }

  /** The bytes of a file. */
  public static byte[] toBytes(ReplayFile file) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(MAGIC);
    bytes.write(VERSION);
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
    try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes, deflater))) {
      new ReplayWriter(out).write(file);
    } catch (IOException e) {
      throw new UncheckedIOException("an array in memory is always writable", e);
    } finally {
      deflater.end();
    }
    return bytes.toByteArray();
  }

  private void write(ReplayFile file) throws IOException {
    text(file.base());
    out.writeInt(file.facts().size());
    for (Map.Entry<String, String> fact : new TreeMap<>(file.facts()).entrySet()) {
      text(fact.getKey());
      text(fact.getValue());
    }
    text(file.architecture().name());
    out.writeInt(file.symbols().size());
    for (Map.Entry<String, Long> symbol : new TreeMap<>(file.symbols()).entrySet()) {
      text(symbol.getKey());
      out.writeLong(symbol.getValue());
    }
    out.writeInt(file.modules().size());
    for (RecordedModule module : file.modules()) {
      module(module);
    }
    memory(file.memory());
    out.writeBoolean(file.sample() != null);
    if (file.sample() != null) {
      sample(file.sample());
    }
  }

  private void module(RecordedModule module) throws IOException {
    text(module.path());
    text(module.buildId());
    out.writeLong(module.start());
    out.writeLong(module.end());
    out.writeLong(module.bias());
    text(module.source().name());
    out.writeInt(module.addresses().length);
    for (int i = 0; i < module.addresses().length; i++) {
      out.writeLong(module.addresses()[i]);
      text(module.symbols()[i]);
      long[] rule = module.rules()[i];
      out.writeInt(rule.length);
      for (long word : rule) {
        out.writeLong(word);
      }
    }
  }

  private void memory(RecordedLines memory) throws IOException {
    int count = memory.lineCount();
    out.writeInt(count);
    for (int i = 0; i < count; ) {
      int run = 1;
      while (i + run < count
          && memory.lineAddress(i + run)
              == memory.lineAddress(i) + (long) run * RecordedLines.LINE) {
        run++;
      }
      out.writeLong(memory.lineAddress(i));
      out.writeInt(run);
      for (int k = 0; k < run; k++) {
        out.write(memory.lineBytes(i + k));
      }
      i += run;
    }
  }

  private void sample(ReplayFile.Sample sample) throws IOException {
    out.writeInt(sample.tid());
    Registers registers = sample.registers();
    out.writeLong(registers.pc());
    out.writeInt(registers.architecture().registerCount());
    for (int i = 0; i < registers.architecture().registerCount(); i++) {
      out.writeBoolean(registers.isKnown(i));
      out.writeLong(registers.isKnown(i) ? registers.get(i) : 0);
    }
    out.writeLong(sample.stackAddress());
    out.writeInt(sample.stack().length);
    out.write(sample.stack());
  }

  private void text(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }
}
