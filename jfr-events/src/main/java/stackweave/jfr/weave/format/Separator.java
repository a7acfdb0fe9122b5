package stackweave.jfr.weave.format;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.chunk.MetadataElement;

/**
 * A chunk without an event, between chunks of different JVMs. The JDK's readers keep types while
 * the number of the metadata is the same, and constants from one chunk to the next: after this one
 * they keep nothing. Stateless.
 */
public final class Separator {
  private static final String NAME = "stackweave.Separator";

  /** Its only type, which identifies it: a number that JFR's types never reach. */
  private static final String TYPE_ID = Integer.toString(1 << 24);

  private static final EncodedBytes METADATA =
      PrunedMetadata.encoded(
          element(
              "root",
              Map.of(),
              element("metadata", Map.of(), element("class", Map.of("id", TYPE_ID, "name", NAME))),
              element("region", Map.of("locale", "en", "gmtOffset", "0", "dst", "0"))));

  private Separator() {}

  /** Whether metadata are of one of these. */
  public static boolean isIt(Metadata metadata) {
    return metadata.types().size() == 1
        && metadata.types().values().iterator().next().name().equals(NAME);
  }

  /**
   * A separator before a chunk.
   *
   * @param next the chunk that it stands before
   * @param startNanos when it begins: readers take chunks that begin at the same time for one
   */
  public static EncodedBytes before(ChunkHeader next, long startNanos) {
    EncodedBytes content = new EncodedBytes(512);
    EncodedBytes noPools = new EncodedBytes(2);
    noPools.raw(0);
    noPools.number(0);
    WovenChunk.head(content, 0, noPools);
    content.setPaddedNumber(0, content.size());
    long metadataAt = ChunkHeader.BYTES + (long) content.size();
    WovenTypes.appendMetadata(content, METADATA, next.startTicks(), startNanos);
    EncodedBytes chunk = new EncodedBytes(512);
    HeaderBytes.append(
        chunk,
        ChunkHeader.BYTES + (long) content.size(),
        ChunkHeader.BYTES,
        metadataAt,
        startNanos,
        WovenChunk.NO_DURATION,
        next.startTicks(),
        next.ticksPerSecond());
    chunk.append(content);
    return chunk;
  }

  private static MetadataElement element(
      String name, Map<String, String> attributes, MetadataElement... children) {
    return new MetadataElement(name, new TreeMap<>(attributes), List.of(children));
  }
}
