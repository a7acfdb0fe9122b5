package stackweave.live.recordings;

import java.io.IOException;
import stackweave.lab.Sampling;
import stackweave.live.support.Native;

/** Loads a library whose constructor burns CPU in code that can't be unwound, a second or so. */
final class OpaqueApp {
  private OpaqueApp() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Sampling.await();
    System.load(Native.library("opaque").toString());
  }
}
