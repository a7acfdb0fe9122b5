package stackweave.agent.attach;

/** Where the agent looks for switch files that no option names. Thread-safe. */
public final class SwitchPlaces {
  /** Of a user's login: only root makes directories there, so no other user can be first. */
  public static final String RUN = "/run/user/";

  /** The file's name in the user's directory there. */
  public static final String RUN_FILE = "stackweave-off";

  /** Where everybody may make directories; with {@link #TMP_DIRECTORY}. */
  public static final String TMP = "/tmp";

  /** What is followed by the user's id. */
  public static final String TMP_DIRECTORY = ".stackweave-";

  /** The file's name in that directory. */
  public static final String TMP_FILE = "off";

  /** The beginning of the status line that names a file given by an option. */
  public static final String STATUS = "switch: ";

  private SwitchPlaces() {}

  /** The files of a user, in the order in which they are looked for. */
  public static String[] usual(int uid) {
    String id = Integer.toUnsignedString(uid);
    return new String[] {
      RUN + id + "/" + RUN_FILE, TMP + "/" + TMP_DIRECTORY + id + "/" + TMP_FILE
    };
  }
}
