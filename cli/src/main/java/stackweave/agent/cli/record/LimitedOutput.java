package stackweave.agent.cli.record;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Refuses more bytes than some number. */
final class LimitedOutput extends FilterOutputStream {
  private long left;

  LimitedOutput(OutputStream out, long most) {
    super(out);
    this.left = most;
  }

  @Override
  public void write(int value) throws IOException {
    take(1);
    out.write(value);
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    take(count);
    out.write(bytes, from, count);
  }

  private void take(int count) throws IOException {
    left -= count;
    if (left < 0) {
      throw new IOException("it would get too large");
    }
  }
}
