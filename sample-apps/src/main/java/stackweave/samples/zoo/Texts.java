package stackweave.samples.zoo;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Something to compress: words with a skewed frequency, the same in every run. */
final class Texts {

  private Texts() {}

  static byte[] sample(int bytes) {
    SplittableRandom random = new SplittableRandom(42);
    String[] words = new String[2_000];
    for (int i = 0; i < words.length; i++) {
      StringBuilder word = new StringBuilder();
      for (int length = 2 + random.nextInt(8); length > 0; length--) {
        word.append((char) ('a' + random.nextInt(26)));
      }
      words[i] = word.toString();
    }
    StringBuilder text = new StringBuilder(bytes + 16);
    while (text.length() < bytes) {
      double skew = random.nextDouble();
      text.append(words[(int) (skew * skew * skew * words.length)]).append(' ');
    }
    return text.substring(0, bytes).getBytes(StandardCharsets.US_ASCII);
  }

  /** Demands that what was decompressed is what was compressed. */
  static void same(byte[] expected, byte[] actual) {
    if (!java.util.Arrays.equals(expected, actual)) {
      throw new IllegalStateException("decompressed bytes differ from the original");
    }
  }
}
