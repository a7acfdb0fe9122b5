package stackweave.samples.zoo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.xerial.snappy.Snappy;
import stackweave.samples.work.Round;

/** snappy-java: arrays and direct buffers. */
final class SnappyRound implements Round {
  private final byte[] text;

  SnappyRound(byte[] text) {
    this.text = text;
  }

  @Override
  public long run() {
    try {
      byte[] packed = Snappy.compress(text);
      Texts.same(text, Snappy.uncompress(packed));

      ByteBuffer direct = ByteBuffer.allocateDirect(text.length).put(text).flip();
      ByteBuffer compressed = ByteBuffer.allocateDirect(Snappy.maxCompressedLength(text.length));
      int length = Snappy.compress(direct, compressed);
      return Arrays.hashCode(packed) * 31L + length;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
