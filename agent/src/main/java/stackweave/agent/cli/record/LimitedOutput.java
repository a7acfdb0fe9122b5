package stackweave.agent.cli.record;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.BooleanSupplier;

/** Refuses more bytes than some number, and all of them once a condition holds. */
final class LimitedOutput extends FilterOutputStream {
  private final BooleanSupplier cancelled;
  private long left;

  LimitedOutput(OutputStream out, long most, BooleanSupplier cancelled) {
    super(out);
    this.left = most;
    this.cancelled = cancelled;
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
    if (cancelled.getAsBoolean()) {
      throw new IOException("ended by Ctrl-C");
    }
  }
}
