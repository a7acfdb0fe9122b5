package stackweave.agent.cli;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import stackweave.agent.linux.Descriptor;
import stackweave.agent.linux.FileFacts;

/**
 * A file system as a user has it: below a root, and with that user's rights. All methods but {@link
 * #act} are for use in it.
 *
 * @param root the root directory of the user's processes
 * @param uid the user
 */
record UserFiles(Descriptor root, int uid, ActingThread acting) implements AutoCloseable {
  private static final int ROOT = 0;

  /** Does something with the user's rights, and waits for it. */
  <T> T act(Callable<T> action) throws IOException {
    return acting.run(action);
  }

  /** The same, of what takes its own time, in seconds. */
  <T> T act(Callable<T> action, long longestSeconds) throws IOException {
    return acting.run(action, longestSeconds);
  }

  /**
   * Opens a directory that nobody but the user, root and whoever owns the root directory can put
   * another in the place of.
   *
   * @param path absolute; a link in it is refused
   */
  Descriptor trusted(String path) throws IOException {
    int owner;
    try (Descriptor top = root.findWithoutLinks("/")) {
      owner = top.facts().uid();
    }
    List<String> names = Arrays.stream(path.split("/+")).filter(n -> !n.isEmpty()).toList();
    for (int i = 0; i <= names.size(); i++) {
      String part = "/" + String.join("/", names.subList(0, i));
      Descriptor directory = root.findWithoutLinks(part);
      boolean good = false;
      try {
        mustBeTrusted(part, directory.facts(), owner);
        if (i == names.size()) {
          good = true;
          return directory;
        }
      } finally {
        if (!good) {
          directory.close();
        }
      }
    }
    throw new IllegalStateException("a path has an end");
  }

  private void mustBeTrusted(String path, FileFacts facts, int owner) throws IOException {
    if (!facts.isDirectory()) {
      throw new IOException(path + " is no directory");
    }
    if (facts.uid() != uid && facts.uid() != ROOT && facts.uid() != owner) {
      throw new IOException(path + " belongs to another user (uid " + id(facts) + ")");
    }
    if (facts.isShared() && !facts.isSticky()) {
      throw new IOException(path + " can be written by others");
    }
  }

  /**
   * Opens a directory that is the user's alone.
   *
   * @param in where it is
   */
  Descriptor own(Descriptor in, String name) throws IOException {
    Descriptor directory = in.look(name);
    FileFacts facts = directory.facts();
    String problem =
        !facts.isDirectory()
            ? " is no directory"
            : facts.uid() != uid
                ? " belongs to another user (uid " + id(facts) + ")"
                : facts.isShared() ? " can be written by others" : null;
    if (problem != null) {
      directory.close();
      throw new IOException(name + problem);
    }
    return directory;
  }

  private static String id(FileFacts facts) {
    return Integer.toUnsignedString(facts.uid());
  }

  @Override
  public void close() {
    acting.close();
    root.close();
  }
}
