package stackweave.agent.cli.process;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
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
public record UserFiles(Descriptor root, int uid, ActingThread acting) implements AutoCloseable {
  private static final int ROOT = 0;

  /** As the kernel: MAXSYMLINKS in include/linux/namei.h. */
  private static final int MAX_LINKS = 40;

  /** Does something with the user's rights, and waits for it. */
  public <T> T act(Callable<T> action) throws IOException {
    return acting.run(action);
  }

  /** The same, of what takes its own time, in seconds. */
  public <T> T act(Callable<T> action, long longestSeconds) throws IOException {
    return acting.run(action, longestSeconds);
  }

  /**
   * Opens a directory that nobody but the user, root and whoever owns the root directory can put
   * another in the place of.
   *
   * @param path absolute; links in it are followed where one of these made them
   */
  public Descriptor trusted(String path) throws IOException {
    int owner;
    try (Descriptor top = root.findWithoutLinks("/")) {
      owner = top.facts().uid();
      mustBeTrusted("/", top.facts(), owner);
    }
    Deque<String> left = new ArrayDeque<>(List.of(path.split("/+")));
    String at = "/";
    for (int links = 0; !left.isEmpty(); ) {
      String name = left.removeFirst();
      if (name.isEmpty() || name.equals(".")) {
        continue;
      }
      if (name.equals("..")) {
        at = at.substring(0, Math.max(1, at.lastIndexOf('/')));
        continue;
      }
      String part = at.equals("/") ? at + name : at + "/" + name;
      try (Descriptor in = root.findWithoutLinks(at);
          Descriptor there = in.look(name)) {
        mustBeTrusted(part, there.facts(), owner);
        if (!there.facts().isLink()) {
          at = part;
          continue;
        }
        if (++links > MAX_LINKS) {
          throw new IOException(path + " has too many links");
        }
        String target = there.target();
        List<String> names = new ArrayList<>(List.of(target.split("/+")));
        Collections.reverse(names);
        names.forEach(left::addFirst);
        at = target.startsWith("/") ? "/" : at;
      }
    }
    return root.findWithoutLinks(at);
  }

  private void mustBeTrusted(String path, FileFacts facts, int owner) throws IOException {
    if (!facts.isDirectory() && !facts.isLink()) {
      throw new IOException(path + " is no directory");
    }
    if (facts.uid() != uid && facts.uid() != ROOT && facts.uid() != owner) {
      throw new IOException(path + " belongs to another user (uid " + id(facts) + ")");
    }
    if (facts.isDirectory() && facts.isShared() && !facts.isSticky()) {
      throw new IOException(path + " can be written by others");
    }
  }

  /**
   * Opens a directory that is the user's alone.
   *
   * @param in where it is
   */
  public Descriptor own(Descriptor in, String name) throws IOException {
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
