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
 * A file system as one user sees it: below a root directory, accessed with that user's rights on an
 * {@link ActingThread}. All methods but {@link #act} and {@link #close} must be called inside
 * {@link #act}.
 *
 * @param root the root directory of the user's processes
 * @param uid the user
 * @param acting the thread that has the user's rights; closed with this
 */
public record UserFiles(Descriptor root, int uid, ActingThread acting) implements AutoCloseable {
  private static final int ROOT = 0;

  /** As in the kernel: MAXSYMLINKS, include/linux/namei.h. */
  private static final int MAX_LINKS = 40;

  /** Runs an action with the user's rights and waits for it. */
  public <T> T act(Callable<T> action) throws IOException {
    return acting.run(action);
  }

  /** As {@link #act(Callable)}, with a time limit in seconds. */
  public <T> T act(Callable<T> action, long longestSeconds) throws IOException {
    return acting.run(action, longestSeconds);
  }

  /**
   * Opens a directory that only the user, root and the owner of the root directory could replace:
   * each component belongs to one of these and is not writable by others, unless sticky.
   *
   * @param path absolute; symbolic links in it are followed if one of these owns them
   * @throws IOException if a component is not trusted
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
   * Opens a directory that belongs to the user and is not writable by others.
   *
   * @param in its parent directory
   * @throws IOException if it is anything else
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
