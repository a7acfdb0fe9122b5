package stackweave.jfr.weave;

import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.weave.format.EncodedBytes;
import stackweave.jfr.weave.format.HeaderBytes;

/**
 * A chunk without an event, between chunks of different JVMs. The JDK's readers keep types while
 * the number of the metadata is the same, and constants from one chunk to the next: behind this one
 * nothing is left to keep. Stateless.
 */
final class Separator {
  private static final String NAME = "stackweave.Separator";

  /** Its only type, which tells it apart: a number that JFR's types never reach. */
  private static final String TYPE_ID = Integer.toString(1 << 24);

  private static final int METADATA_TYPE = 0;
  private static final int CHECKPOINT_TYPE = 1;

  private Separator() {}

  /** Whether metadata with this type are of one of these. */
  static boolean isType(String name) {
    return name.equals(NAME);
  }

  /**
   * A separator before a chunk.
   *
   * @param next the chunk that it stands before
   * @param startNanos when it begins: readers take chunks that begin at the same time for one
   */
  static EncodedBytes before(ChunkHeader next, long startNanos) {
    EncodedBytes checkpoint = new EncodedBytes(64);
    checkpoint.number(CHECKPOINT_TYPE);
    checkpoint.number(next.startTicks());
    checkpoint.number(0); // duration
    checkpoint.number(0); // none before it
    checkpoint.raw(0);
    checkpoint.number(0); // pools
    EncodedBytes metadata = metadata(next, startNanos);
    long metadataAt = ChunkHeader.BYTES + 4L + checkpoint.size();
    EncodedBytes chunk = new EncodedBytes(512);
    HeaderBytes.append(
        chunk,
        metadataAt + 4 + metadata.size(),
        ChunkHeader.BYTES,
        metadataAt,
        startNanos,
        next.startTicks(),
        next.ticksPerSecond());
    chunk.paddedNumber(4 + checkpoint.size());
    chunk.append(checkpoint);
    chunk.paddedNumber(4 + metadata.size());
    chunk.append(metadata);
    return chunk;
  }

  /** Strings, then the tree of elements: name, attributes, children. */
  private static EncodedBytes metadata(ChunkHeader next, long id) {
    List<String> strings = new ArrayList<>();
    EncodedBytes tree = new EncodedBytes(256);
    element(tree, strings, 2, "root");
    element(tree, strings, 1, "metadata");
    element(tree, strings, 0, "class", "id", TYPE_ID, "name", NAME);
    element(tree, strings, 0, "region", "locale", "en", "gmtOffset", "0", "dst", "0");
    EncodedBytes metadata = new EncodedBytes(512);
    metadata.number(METADATA_TYPE);
    metadata.number(next.startTicks());
    metadata.number(0); // duration
    metadata.number(id);
    metadata.number(strings.size());
    for (String string : strings) {
      metadata.text(string);
    }
    metadata.append(tree);
    return metadata;
  }

  private static void element(
      EncodedBytes tree, List<String> strings, int children, String name, String... attributes) {
    tree.number(number(strings, name));
    tree.number(attributes.length / 2);
    for (String attribute : attributes) {
      tree.number(number(strings, attribute));
    }
    tree.number(children);
  }

  private static int number(List<String> strings, String string) {
    if (!strings.contains(string)) {
      strings.add(string);
    }
    return strings.indexOf(string);
  }
}
