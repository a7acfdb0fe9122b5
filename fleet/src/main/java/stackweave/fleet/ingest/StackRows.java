package stackweave.fleet.ingest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import stackweave.fleet.store.FrameRows;
import stackweave.fleet.store.Table;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;

/**
 * Stacks of a recording as rows of {@link Table#STACKS}. A stack's id is a hash of its content, so
 * that it is the same in all recordings of all machines: of native code the build id and the offset
 * in the library, so that it stays when a name is found later, of Java code class, method,
 * descriptor and line; of each the kind and how it was found. Not thread-safe.
 */
final class StackRows {
  private static final int ID_BYTES = 16;

  /** Separates texts in what is hashed: no name has it. */
  private static final char END = '\0';

  private final MessageDigest digest = LocalCopy.newDigest();
  private final Map<SampledFrame, byte[]> hashes = new IdentityHashMap<>();
  private final FrameRows rows = new FrameRows();

  /** The id of a stack: 128 bits in hexadecimal. */
  String id(List<SampledFrame> frames) {
    byte[][] each = new byte[frames.size()][];
    for (int i = 0; i < each.length; i++) {
      each[i] = hashes.computeIfAbsent(frames.get(i), this::hash);
    }
    for (byte[] hash : each) {
      digest.update(hash, 0, ID_BYTES);
    }
    return HexFormat.of().formatHex(digest.digest(), 0, ID_BYTES);
  }

  /** The row of a stack. */
  Row row(String id, List<SampledFrame> frames) {
    Row[] each = new Row[frames.size()];
    for (int i = 0; i < each.length; i++) {
      each[i] = rows.of(frames.get(i));
    }
    return RowFactory.create(id, each);
  }

  private byte[] hash(SampledFrame frame) {
    SampledMethod method = frame.method();
    SampledModule module = method.module();
    StringBuilder content = new StringBuilder(frame.kind()).append(END);
    content.append(frame.found().label()).append(END);
    if (FrameRows.isJava(method)) {
      content
          .append(FrameRows.className(method))
          .append(END)
          .append(FrameRows.symbol(frame))
          .append(END);
      content.append(method.descriptor()).append(END).append(frame.line());
    } else if (module == null) {
      content.append(method.name());
    } else if (module.buildId().isEmpty()) {
      content.append(module.name()).append(END).append(method.name()).append(END);
      content.append(FrameRows.offset(frame));
    } else {
      content.append(module.buildId()).append(END).append(FrameRows.offset(frame));
    }
    return digest.digest(content.toString().getBytes(StandardCharsets.UTF_8));
  }
}
