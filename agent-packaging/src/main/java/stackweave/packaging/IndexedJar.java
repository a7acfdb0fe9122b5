package stackweave.packaging;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A jar, and an index of its entries that the agent's class loader can search without decoding it.
 * Its reader, {@code stackweave.agent.boot.InnerJar}, describes the format.
 *
 * @param jar every entry deflated
 * @param index of its entries
 */
public record IndexedJar(byte[] jar, byte[] index) {

  /** A row of the index. */
  private record Row(int hash, int headerPosition, int compressedSize, int size) {}

  /** Makes a jar with these entries, by name. */
  public static IndexedJar of(SortedMap<String, byte[]> entries) throws IOException {
    List<Row> rows = new ArrayList<>();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ZipOutputStream jar = new ZipOutputStream(out)) {
      jar.setLevel(Deflater.BEST_COMPRESSION);
      for (Map.Entry<String, byte[]> each : entries.entrySet()) {
        ZipEntry entry = AgentJar.stamped(each.getKey());
        int position = out.size(); // all bytes are out: between entries nothing is buffered
        jar.putNextEntry(entry);
        jar.write(each.getValue());
        jar.closeEntry(); // sets the sizes in the entry
        rows.add(
            new Row(
                each.getKey().hashCode(),
                position,
                (int) entry.getCompressedSize(),
                (int) entry.getSize()));
      }
    }
    rows.sort(Comparator.comparingInt(Row::hash));
    ByteBuffer index = ByteBuffer.allocate(rows.size() * 4 * Integer.BYTES);
    for (Row row : rows) {
      index.putInt(row.hash).putInt(row.headerPosition).putInt(row.compressedSize).putInt(row.size);
    }
    return new IndexedJar(out.toByteArray(), index.array());
  }
}
