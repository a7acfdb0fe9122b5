package stackweave.verify.it;

import java.io.IOException;
import stackweave.verify.Built;
import stackweave.verify.Sampling;

/** Loads a library whose constructor burns CPU in code that can't be unwound, a second or so. */
final class OpaqueApp {
  private OpaqueApp() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Sampling.await();
    System.load(Built.library("opaque").toString());
  }
}
