package stackweave.agent.apps;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Works, and loads the native libraries that its standard input names. */
public final class LoadsWhenTold {

  private LoadsWhenTold() {}

  public static void main(String[] arguments) throws IOException {
    Works.start();
    System.out.println("ready");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.load(line);
      System.out.println("loaded");
    }
  }
}
