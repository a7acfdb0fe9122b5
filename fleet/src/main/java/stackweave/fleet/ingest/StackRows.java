package stackweave.fleet.ingest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
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

  /** The row of a stack, as in {@link RawRows}. */
  Row row(String id, List<SampledFrame> frames, int named, int piece) {
    Row[] each = new Row[frames.size()];
    for (int i = 0; i < each.length; i++) {
      each[i] = rows.of(frames.get(i));
    }
    return RowFactory.create(id, each, named, piece);
  }

  private byte[] hash(SampledFrame frame) {
    SampledMethod method = frame.method();
    SampledModule module = method.module();
    List<Object> content = new ArrayList<>(List.of(frame.kind(), frame.found().label()));
    if (FrameRows.isJava(method)) {
      content.add(FrameRows.className(method));
      content.add(FrameRows.symbol(frame));
      content.add(method.descriptor());
      content.add(frame.line());
    } else if (module == null) {
      content.add(method.name());
    } else if (module.buildId().isEmpty()) {
      content.add(module.name());
      content.add(method.name());
      content.add(FrameRows.offset(frame));
    } else {
      content.add(module.buildId());
      content.add(FrameRows.offset(frame));
    }
    StringBuilder text = new StringBuilder();
    // With their lengths, since names may have any character.
    content.forEach(part -> text.append(part.toString().length()).append(' ').append(part));
    return digest.digest(text.toString().getBytes(StandardCharsets.UTF_8));
  }
}
