package stackweave.agent.cli;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Runs one command after the other in this JVM, as its standard input says them: a line each, their
 * words separated by tabs. Answers with the exit code, and what they wrote to both outputs.
 */
public final class CommandsInOneJvm {
  private CommandsInOneJvm() {}

  public static void main(String[] arguments) throws Exception {
    PrintStream terminal = System.out;
    DataOutputStream answers = new DataOutputStream(terminal);
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
      int exit = Main.run(null, line.isEmpty() ? new String[0] : line.split("\t"));
      System.out.flush();
      System.err.flush();
      answers.writeInt(exit);
      for (ByteArrayOutputStream text : new ByteArrayOutputStream[] {out, err}) {
        answers.writeInt(text.size());
        text.writeTo(answers);
      }
      answers.flush();
    }
  }
}
