package stackweave.samples.zoo;

import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import stackweave.samples.work.Round;

/** The JDK's own zlib, streamed in pieces as GZIPOutputStream does. */
final class ZlibRound implements Round {
  private static final int PIECE = 8_192;

  private final byte[] text;

  ZlibRound(byte[] text) {
    this.text = text;
  }

  @Override
  public long run() {
    byte[] packed = deflate();
    Texts.same(text, inflate(packed));
    CRC32 crc = new CRC32();
    crc.update(packed);
    return crc.getValue();
  }

  private byte[] deflate() {
    Deflater deflater = new Deflater(6);
    byte[] out = new byte[text.length];
    int length = 0;
    for (int from = 0; from < text.length; from += PIECE) {
      deflater.setInput(text, from, Math.min(PIECE, text.length - from));
      while (!deflater.needsInput()) {
        length += deflater.deflate(out, length, out.length - length);
      }
    }
    deflater.finish();
    while (!deflater.finished()) {
      length += deflater.deflate(out, length, out.length - length);
    }
    deflater.end();
    return Arrays.copyOf(out, length);
  }

  private byte[] inflate(byte[] packed) {
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(packed);
      byte[] out = new byte[text.length];
      int length = 0;
      while (!inflater.finished()) {
        length += inflater.inflate(out, length, Math.min(PIECE, out.length - length));
      }
      return out;
    } catch (DataFormatException e) {
      throw new IllegalStateException(e);
    } finally {
      inflater.end();
    }
  }
}
