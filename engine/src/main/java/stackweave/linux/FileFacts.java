package stackweave.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * Attributes of a file, by stat(2), of which Java's own views lack the ids. Immutable.
 *
 * @param mode type and permissions, as in stat(2)
 * @param uid the owner's id
 * @param links the number of hard links
 * @param size in bytes
 * @param device of its file system
 * @param inode its number on that device
 */
public record FileFacts(int mode, int uid, int links, long size, long device, long inode) {
  private static final int TYPE = 0170000;
  private static final int DIRECTORY = 0040000;
  private static final int REGULAR = 0100000;
  private static final int SOCKET = 0140000;
  private static final int LINK = 0120000;
  private static final int STICKY = 01000;
  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int PERMISSIONS = 07777;

  /** The attributes of a file; {@code options} say whether links are followed. */
  public static FileFacts of(Path path, LinkOption... options) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(path, "unix:mode,uid,nlink,size,dev,ino", options);
    return new FileFacts(
        (int) facts.get("mode"),
        (int) facts.get("uid"),
        (int) facts.get("nlink"),
        (long) facts.get("size"),
        (long) facts.get("dev"),
        (long) facts.get("ino"));
  }

  /** Whether it is a directory. */
  public boolean isDirectory() {
    return (mode & TYPE) == DIRECTORY;
  }

  /** Whether it is a regular file. */
  public boolean isRegular() {
    return (mode & TYPE) == REGULAR;
  }

  /** Whether it is a socket. */
  public boolean isSocket() {
    return (mode & TYPE) == SOCKET;
  }

  /** Whether it is a symbolic link. */
  public boolean isLink() {
    return (mode & TYPE) == LINK;
  }

  /** Whether its group or others may write to it. */
  public boolean isShared() {
    return (mode & WRITABLE_BY_OTHERS) != 0;
  }

  /** Whether only a file's owner, or the directory's, may rename or remove it. */
  public boolean isSticky() {
    return (mode & STICKY) != 0;
  }

  /** The permissions, including set-id and sticky bits. */
  public int permissions() {
    return mode & PERMISSIONS;
  }

  /** Whether both are the same file: same device and inode. */
  public boolean isSameFileAs(FileFacts other) {
    return device == other.device && inode == other.inode;
  }
}
