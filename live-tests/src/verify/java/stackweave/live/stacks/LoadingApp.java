package stackweave.live.stacks;

import stackweave.lab.Sampling;
import stackweave.live.support.Native;

/**
 * Loads a library whose constructor burns CPU for {@code LAB_LOADING_MILLIS}: a stack of native
 * code from the constructor through ld.so, libc, libjvm and libjava.
 */
final class LoadingApp {

  private static final int BEGIN_MILLIS = 2_000;

  private LoadingApp() {}

  public static void main(String[] args) throws Exception {
    // While a constructor runs nobody can load a library, the agent neither, which has not loaded
    // all that it needs when its first event or timer is there.
    Sampling.await();
    Thread.sleep(BEGIN_MILLIS);
    Thread loader = new Thread(() -> System.load(Native.library("loading").toString()), "loading");
    loader.start();
    loader.join();
    System.out.println("loaded");
  }
}
