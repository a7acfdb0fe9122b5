package stackweave.agent.attach;

import stackweave.jfr.status.SamplerFigures;

/**
 * The default paths of the switch file, which switches sampling off while it exists. Used by the
 * agent and by the commands {@code off} and {@code on}. Thread-safe.
 */
public final class SwitchPlaces {
  /**
   * Directory of per-login directories: only root creates entries there, so no other user can
   * create a user's directory first.
   */
  public static final String RUN = "/run/user/";

  /** The file's name in the user's directory below {@link #RUN}. */
  public static final String RUN_FILE = "stackweave-off";

  /** Writable by every user; the file is in {@link #TMP_DIRECTORY} below it. */
  public static final String TMP = "/tmp";

  /** Prefix of the directory's name, followed by the user id. */
  public static final String TMP_DIRECTORY = ".stackweave-";

  /** The file's name in that directory. */
  public static final String TMP_FILE = "off";

  /** Prefix of the status line that has the file given by an option. */
  public static final String STATUS = "switch: ";

  /** How the note of a JVM begins that is switched off; the file's path follows. */
  public static final String SWITCHED_OFF = SamplerFigures.NOT_SAMPLING + "switched off by ";

  private SwitchPlaces() {}

  /** The default switch files of a user, in the order in which they are checked. */
  public static String[] usual(int uid) {
    String id = Integer.toUnsignedString(uid);
    return new String[] {
      RUN + id + "/" + RUN_FILE, TMP + "/" + TMP_DIRECTORY + id + "/" + TMP_FILE
    };
  }
}
