package stackweave.samples.zoo;

import java.util.Arrays;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.xxhash.XXHashFactory;
import stackweave.samples.work.Round;

/** lz4-java's JNI half: fast and high compression, xxHash. */
final class Lz4Round implements Round {
  private final byte[] text;
  private final LZ4Factory lz4 = LZ4Factory.nativeInstance();
  private final XXHashFactory xxHash = XXHashFactory.nativeInstance();

  Lz4Round(byte[] text) {
    this.text = text;
  }

  @Override
  public long run() {
    byte[] fast = lz4.fastCompressor().compress(text);
    Texts.same(text, lz4.safeDecompressor().decompress(fast, text.length));
    byte[] high = lz4.highCompressor(9).compress(text, 0, text.length / 8);
    long hash = xxHash.hash64().hash(text, 0, text.length, 7);
    return hash ^ Arrays.hashCode(fast) * 31L + Arrays.hashCode(high);
  }
}
