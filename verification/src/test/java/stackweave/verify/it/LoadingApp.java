package stackweave.verify.it;

import stackweave.verify.Built;
import stackweave.verify.Sampling;

/**
 * Loads a library whose constructor burns CPU for {@code LAB_LOADING_MILLIS}: a stack of native
 * code from the constructor through ld.so, libc, libjvm and libjava.
 */
final class LoadingApp {

  private LoadingApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await(); // while a constructor runs nobody can load a library, the agent neither
    Thread loader = new Thread(() -> System.load(Built.library("loading").toString()), "loading");
    loader.start();
    loader.join();
    System.out.println("loaded");
  }
}
