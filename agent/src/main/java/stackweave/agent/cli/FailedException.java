package stackweave.agent.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import stackweave.jfr.read.RecordingException;

/** A command can't do what it was asked for; the message says why, in one line. */
final class FailedException extends Exception {

  private static final long serialVersionUID = 1;

  FailedException(String message) {
    super(message);
  }

  /** The line for the user: of our own exceptions the message, of others the kind, too. */
  static String text(Exception e) {
    boolean ours = e instanceof FailedException || e instanceof RecordingException;
    return ours ? e.getMessage() : "unexpected: " + e;
  }

  /** What a file system says, without the file's name and Java's names of exceptions. */
  static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no such directory";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof FileSystemException f && f.getReason() != null) {
      return f.getReason();
    }
    return String.valueOf(e.getMessage());
  }
}
