package stackweave.agent.cli.toggle;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.agent.attach.DrainThreadName;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.process.JavaOptions;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.agent.cli.process.UserFiles;
import stackweave.agent.linux.Descriptor;
import stackweave.agent.linux.FileFacts;
import stackweave.maps.proc.PlainFiles;

/**
 * Carries out one {@code off} or {@code on}: creates or removes the switch files in every place
 * where the agent looks, then asks the JVMs whether they noticed. Reports what could not be done
 * and what to do instead. Used by {@link SwitchOption}; not thread-safe.
 */
final class SwitchTurn {
  private static final int DONE = 0;
  private static final int NOT_DONE = 2;
  private static final int OWNER_ONLY = 0700;
  private static final int OF_OWNER = 0600;

  /** How long a JVM may take to notice: the agent looks every second, later on a busy machine. */
  private static final long NOTICE_NANOS = 15_000_000_000L;

  /**
   * Time limit for asking all JVMs of a user, since each that doesn't answer costs {@link
   * #NOTICE_NANOS}.
   */
  private static final long ASKING_NANOS = 180_000_000_000L;

  private static final int PAUSE_MILLIS = 250;

  /** The option switch= of a -javaagent option, whose path the JVM cuts at the first '='. */
  private static final Pattern OPTION =
      Pattern.compile("-javaagent:[^=]*=(?:.*,)?switch=(/[^,]*)(?:,.*)?", Pattern.DOTALL);

  private final UserFiles files;
  private final int uidThere;
  private final boolean off;
  private final List<String> problems = new ArrayList<>();
  private final List<FileFacts> made = new ArrayList<>();
  private final List<String> places = new ArrayList<>();
  private boolean isNamed;
  private int turned;

  /**
   * @param uidThere the user's id in the user namespace of the JVMs
   */
  private SwitchTurn(UserFiles files, int uidThere, boolean off) {
    this.files = files;
    this.uidThere = uidThere;
    this.off = off;
  }

  /** Switches all JVMs of a user that share this process's file system. */
  static int ofUser(UserFiles files, boolean off) throws FailedException, IOException {
    SwitchTurn turn = new SwitchTurn(files, files.uid(), off);
    turn.usual();
    turn.mustHaveTurned();
    return turn.askAll() ? DONE : NOT_DONE;
  }

  /** Switches one JVM, in the file system that it sees. */
  static int ofProcess(long pid, boolean off) throws FailedException {
    try (TargetProcess process = TargetProcess.look(pid)) {
      SwitchTurn turn = new SwitchTurn(process.files(), process.uidThere(), off);
      String status = null;
      String problem = null;
      try (TargetJvm jvm = TargetJvm.open(pid)) {
        status = jvm.status();
      } catch (FailedException e) {
        problem = FailedException.worded(e); // only the files are handled
      }
      if (status == null && problem == null) {
        throw new FailedException("no Stackweave agent in process " + pid);
      }
      String named = named(process, status);
      if (named == null) {
        turn.usual();
      } else {
        turn.isNamed = true;
        turn.places.add(named);
        turn.turn(named, () -> turn.inNamed(named));
      }
      turn.mustHaveTurned();
      if (problem != null) {
        throw new FailedException(
            "not verified whether sampling " + (off ? "stopped" : "goes on") + ": " + problem);
      }
      return turn.ask(pid) ? DONE : NOT_DONE;
    }
  }

  /** The switch file that an agent option names, or null. */
  private static String named(TargetProcess process, String status) {
    if (status != null && named(status) != null) {
      return named(status);
    }
    // The agent may not have begun yet, or the JVM can't be asked.
    return inOptions(JavaOptions.of(process));
  }

  static String inOptions(List<String> options) {
    for (String option : options) {
      Matcher matcher = OPTION.matcher(option);
      if (matcher.matches()) {
        return matcher.group(1);
      }
    }
    return null;
  }

  private static String named(String status) {
    for (String line : status.split("\n")) {
      if (line.startsWith(SwitchPlaces.STATUS)) {
        return line.substring(SwitchPlaces.STATUS.length());
      }
    }
    return null;
  }

  private void usual() {
    places.addAll(List.of(SwitchPlaces.usual(uidThere)));
    turn(places.get(0), this::ofLogin);
    turn(places.get(1), this::inTmp);
  }

  /** Opens a switch file's directory. */
  private interface Place {
    /** Null if it does not exist and the file is to be removed. */
    Descriptor open() throws IOException;
  }

  private void turn(String file, Place place) {
    Path name;
    try {
      name = Path.of(file).getFileName();
    } catch (InvalidPathException e) {
      problems.add(file + ": not known in this locale: run the same with LC_ALL=C.UTF-8");
      return;
    }
    if (name == null) {
      problems.add(file + ": is no file: choose another switch=");
      return;
    }
    try {
      boolean done =
          files.act(
              () -> {
                try (Descriptor directory = place.open()) {
                  return directory != null && turn(directory, name);
                }
              });
      if (done) {
        turned++;
        System.out.println((off ? "off: " : "removed: ") + Plain.line(file));
      }
    } catch (AccessDeniedException e) {
      problems.add(
          file
              + ": its user may not make or remove files in that directory: do it yourself, as"
              + " who may");
    } catch (IOException e) {
      problems.add(file + ": " + FailedException.reason(e));
    }
  }

  private boolean turn(Descriptor directory, Path file) throws IOException {
    String name = file.toString();
    if (off) {
      try {
        directory.create(name, OF_OWNER).close();
      } catch (FileAlreadyExistsException e) {
        // An existing file counts, whoever made it.
      }
      try (Descriptor there = directory.look(name)) {
        made.add(there.facts());
      }
      return true;
    }
    try {
      directory.look(name).close();
    } catch (NoSuchFileException e) {
      return false;
    }
    directory.remove(name);
    return true;
  }

  /** The user's directory below /run/user, which a login creates; null if there is none. */
  private Descriptor ofLogin() throws IOException {
    try (Descriptor in = files.trusted(SwitchPlaces.RUN)) {
      return files.own(in, Integer.toUnsignedString(uidThere));
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private Descriptor inTmp() throws IOException {
    String name = SwitchPlaces.TMP_DIRECTORY + Integer.toUnsignedString(uidThere);
    try (Descriptor in = files.trusted(SwitchPlaces.TMP)) {
      if (off) {
        in.makeDirectory(name, OWNER_ONLY);
      }
      return files.own(in, name);
    } catch (NoSuchFileException e) {
      if (off) {
        throw e;
      }
      return null;
    }
  }

  private Descriptor inNamed(String file) throws IOException {
    String parent = Objects.requireNonNullElse(new File(file).getParent(), "/");
    mustBeNoLink(new File(parent));
    Descriptor directory = files.trusted(parent);
    FileFacts facts = directory.facts();
    if (facts.isShared() || facts.uid() != files.uid() && facts.uid() != TargetProcess.ROOT) {
      directory.close();
      throw new IOException(
          parent + " is not its user's alone, so no file in it counts: choose another switch=");
    }
    return directory;
  }

  /**
   * Refuses a symbolic link as the file's directory itself, which the agent doesn't accept; links
   * further up are allowed.
   */
  private void mustBeNoLink(File directory) throws IOException {
    if (directory.getParent() == null) {
      return;
    }
    if (directory.getName().equals(".") || directory.getName().equals("..")) {
      throw new IOException(directory + " ends with dots: choose another switch=");
    }
    try (Descriptor in = files.trusted(directory.getParent());
        Descriptor there = in.look(directory.getName())) {
      if (there.facts().isLink()) {
        throw new IOException(
            directory + " is a link, so no file in it counts: choose another switch=");
      }
    }
  }

  private void mustHaveTurned() throws FailedException {
    if (off && turned == 0) {
      throw new FailedException(
          "not switched off: "
              + String.join("; ", problems)
              + ". As root, remove what is in the way; or detach the agent (detach PID), or stop the"
              + " recording (jcmd PID JFR.stop)");
    }
    for (String problem : problems) {
      System.err.println(
          "stackweave: "
              + Plain.line(problem)
              + (off ? "; a JVM that looks only there goes on" : ""));
    }
    if (!off && turned == 0) {
      System.out.println("no switch file: " + Plain.line(String.join(", ", places)));
    }
  }

  /** Asks all sampling JVMs of the user whether they noticed. */
  private boolean askAll() throws IOException {
    boolean good = problems.isEmpty();
    long start = System.nanoTime();
    File[] processes = new File("/proc").listFiles((parent, name) -> name.matches("\\d+"));
    for (File process : processes == null ? new File[0] : processes) {
      if (!isSampling(process.toPath(), files.uid())) {
        continue;
      }
      if (System.nanoTime() - start > ASKING_NANOS) {
        System.out.println(
            "process "
                + process.getName()
                + ": not asked, for others did not answer in time: off --pid "
                + process.getName());
        good = false;
      } else {
        good &= ask(Long.parseLong(process.getName()));
      }
    }
    return good;
  }

  /** Whether a process of a user has an agent whose drain thread runs. */
  static boolean isSampling(Path process, int uid) {
    try {
      // Not the owner of the /proc directory, which is root for a process that is not dumpable.
      // In ISO 8859-1: names of threads are cut at 15 bytes, be it within a character.
      if (uid(PlainFiles.text(process + "/status", StandardCharsets.ISO_8859_1)) != uid) {
        return false;
      }
      File[] tasks = process.resolve("task").toFile().listFiles();
      for (File task : tasks == null ? new File[0] : tasks) {
        String comm = PlainFiles.text(task + "/comm", StandardCharsets.ISO_8859_1);
        if (DrainThreadName.isComm(comm.strip())) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false; // it ended
    }
  }

  /** The effective user id of a process's status. */
  private static int uid(String status) {
    for (String line : status.split("\n")) {
      if (line.startsWith("Uid:")) {
        return Integer.parseUnsignedInt(line.split("\\s+")[2]);
      }
    }
    return -1;
  }

  /** Asks a JVM until it has noticed, and prints the result. */
  private boolean ask(long pid) {
    try (TargetJvm jvm = TargetJvm.open(pid)) {
      long start = System.nanoTime();
      while (true) {
        String status = jvm.status();
        if (status == null) {
          return true; // detached meanwhile
        }
        boolean isOff = status.contains(SwitchPlaces.SWITCHED_OFF);
        if (isOff == off || status.startsWith("state: dormant")) {
          System.out.println("process " + pid + ": " + (isOff ? "switched off" : state(status)));
          return true;
        }
        if (System.nanoTime() - start > NOTICE_NANOS) {
          System.out.println("process " + pid + ": " + unmoved(jvm.process(), status));
          return false;
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (FailedException e) {
      System.out.println(
          "process " + pid + ": not verified: " + Plain.line(FailedException.worded(e)));
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String state(String status) {
    return status.startsWith("state: dormant")
        ? "dormant, no recording asks for samples"
        : "switched on";
  }

  /** Why a JVM did not change, as text for the user. */
  private String unmoved(TargetProcess process, String status) {
    if (!off) {
      return "still switched off, by another file: status " + process.pid() + " names it";
    }
    if (named(status) != null && !isNamed) {
      return "still sampling; a switch file of its own counts for it: off --pid " + process.pid();
    }
    for (String place : places) {
      try {
        boolean sees =
            process.act(
                () -> {
                  try (Descriptor there = process.root().find(place)) {
                    FileFacts facts = there.facts();
                    return made.stream().anyMatch(facts::isSameFileAs);
                  }
                });
        if (sees) {
          return "still sampling; it sees the file, and did not notice within "
              + NOTICE_NANOS / 1_000_000_000
              + " s: status "
              + process.pid()
              + " says how it fares";
        }
      } catch (IOException e) {
        continue; // not seen by this JVM
      }
    }
    return "still sampling; it doesn't see these files, as with PrivateTmp= or in a container: off"
        + " --pid "
        + process.pid();
  }
}
