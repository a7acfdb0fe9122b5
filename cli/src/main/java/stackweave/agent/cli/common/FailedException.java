package stackweave.agent.cli.common;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import stackweave.jfr.read.RecordingException;

/** A command failed; the message is one line for the user. */
public class FailedException extends Exception {

  private static final long serialVersionUID = 1;

  /**
   * @param format one line for the user, without the program's name, as in {@link String#format};
   *     taken as it is if there are no arguments
   */
  public FailedException(String format, Object... arguments) {
    super(CommandMessages.text(format, arguments));
  }

  /**
   * The line for the user: the message, with the class name of exceptions that are not the agent's.
   */
  public static String text(Exception e) {
    boolean ours = e instanceof FailedException || e instanceof RecordingException;
    return ours ? worded(e) : "unexpected: " + e;
  }

  /** The reason of an I/O error, without the file's name and without Java exception names. */
  public static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no such file or directory";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof NotDirectoryException) {
      return "not a directory";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "is there already";
    }
    if (e instanceof FileSystemException f && f.getReason() != null) {
      return f.getReason();
    }
    return worded(e);
  }

  /** As {@link #reason}, with the file's name, for callers that don't name it. */
  public static String reasonWithName(IOException e) {
    String file = e instanceof FileSystemException f ? f.getFile() : null;
    return file == null ? reason(e) : file + ": " + reason(e);
  }

  /** The exception's message, or its cause's, or else its class name in words; never null. */
  public static String worded(Throwable e) {
    String message = e.getMessage();
    if (message != null && !message.isBlank()) {
      return message;
    }
    if (e.getCause() != null) {
      return worded(e.getCause());
    }
    String kind = e.getClass().getSimpleName().replaceFirst("Exception$", "");
    return kind.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
  }
}
