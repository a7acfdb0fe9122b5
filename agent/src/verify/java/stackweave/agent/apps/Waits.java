package stackweave.agent.apps;

import java.io.IOException;

/** Says that it runs, and ends with its standard input. */
public final class Waits {

  private Waits() {}

  public static void main(String[] arguments) throws IOException {
    System.out.println("running");
    while (System.in.read() >= 0) {
      // until it is closed
    }
    System.out.println("done");
  }
}
