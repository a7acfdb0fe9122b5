package stackweave.samples.zoo;

import com.github.luben.zstd.Zstd;
import java.util.Arrays;
import stackweave.samples.work.Round;

/** zstd-jni: a fast and a thorough level. */
final class ZstdRound implements Round {
  private final byte[] text;

  ZstdRound(byte[] text) {
    this.text = text;
  }

  @Override
  public long run() {
    byte[] fast = Zstd.compress(text, 1);
    Texts.same(text, Zstd.decompress(fast, text.length));
    byte[] thorough = Zstd.compress(Arrays.copyOf(text, text.length / 4), 9);
    return Arrays.hashCode(fast) * 31L + Arrays.hashCode(thorough);
  }
}
