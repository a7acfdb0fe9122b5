package stackweave.agent.cli.switching;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.agent.cli.process.UserFiles;
import stackweave.linux.Descriptor;
import stackweave.linux.FileFacts;

/**
 * The switch files of one user, or of one JVM: created or removed with that user's rights in every
 * place where the agent looks. Used by {@link SwitchCommand}; not thread-safe.
 */
final class SwitchFiles {
  private final UserFiles files;
  private final int uidThere;
  private final boolean off;
  private final List<String> problems = new ArrayList<>();
  private final List<String> places = new ArrayList<>();
  private int turned;

  /**
   * @param uidThere the user's id in the user namespace of the JVMs
   * @param off whether the files are created; otherwise they are removed
   */
  SwitchFiles(UserFiles files, int uidThere, boolean off) {
    this.files = files;
    this.uidThere = uidThere;
    this.off = off;
  }

  /** Opens a switch file's directory. */
  private interface Place {
    /** Null if it does not exist and the file is to be removed. */
    Descriptor open() throws IOException;
  }

  /**
   * Creates or removes the files in the default places.
   *
   * @throws FailedException if none could be created
   */
  void turnUsual() throws FailedException {
    String[] usual = SwitchPlaces.usual(uidThere);
    turn(usual[0], this::ofLogin);
    turn(usual[1], this::inTmp);
    sayProblems();
  }

  /**
   * Creates or removes the file that an option of the agent names.
   *
   * @throws FailedException if it could not be created
   */
  void turnNamed(String file) throws FailedException {
    turn(file, () -> ofNamed(Path.of(file)));
    sayProblems();
  }

  private void turn(String file, Place place) {
    places.add(file);
    try {
      Path name = Path.of(file).getFileName();
      if (name == null) {
        problems.add(file + ": is no file: choose another switch=");
        return;
      }
      boolean isDone =
          files.act(
              () -> {
                try (Descriptor directory = place.open()) {
                  return directory != null && turn(directory.path().resolve(name));
                }
              });
      if (isDone) {
        turned++;
        System.out.println((off ? "off: " : "removed: ") + Plain.line(file));
      }
    } catch (InvalidPathException e) {
      problems.add(file + ": not known in this locale: run the same with LC_ALL=C.UTF-8");
    } catch (AccessDeniedException e) {
      problems.add(
          String.format(
              "%s: its user may not make or remove files in that directory: do it yourself,"
                  + " as who may",
              file));
    } catch (IOException e) {
      problems.add(file + ": " + FailedException.reason(e));
    }
  }

  private boolean turn(Path file) throws IOException {
    if (!off) {
      return Files.deleteIfExists(file);
    }
    try {
      Files.createFile(file, UserFiles.OF_OWNER);
    } catch (FileAlreadyExistsException e) {
      // An existing file has the same effect, whoever created it.
    }
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
        UserFiles.makeDirectory(in, name);
      }
      return files.own(in, name);
    } catch (NoSuchFileException e) {
      if (off) {
        throw e;
      }
      return null;
    }
  }

  /**
   * Opens the named file's directory. The agent accepts no directory that is a link, or that users
   * other than its own and root may change; links further up are allowed.
   */
  private Descriptor ofNamed(Path file) throws IOException {
    Path parent = file.getParent();
    Descriptor directory;
    if (parent.getParent() == null) {
      directory = files.trusted(parent.toString());
    } else {
      try (Descriptor in = files.trusted(parent.getParent().toString())) {
        directory = in.look(parent.getFileName().toString());
      }
    }
    FileFacts facts = directory.facts();
    String problem =
        facts.isLink()
            ? " is a link"
            : !facts.isDirectory()
                    || facts.isShared()
                    || facts.uid() != files.uid() && facts.uid() != TargetProcess.ROOT
                ? " is not its user's alone"
                : "";
    if (!problem.isEmpty()) {
      directory.close();
      throw new IOException(parent + problem + ", so no file in it counts: choose another switch=");
    }
    return directory;
  }

  private void sayProblems() throws FailedException {
    if (off && turned == 0) {
      throw new FailedException(
          "not switched off: %s. As root, remove what is in the way; or detach the agent"
              + " (detach PID), or stop the recording (jcmd PID JFR.stop)",
          String.join("; ", problems));
    }
    for (String problem : problems) {
      CommandMessages.say("%s%s", problem, off ? "; a JVM that looks only there goes on" : "");
    }
    if (!off && turned == 0) {
      System.out.println("no switch file: " + Plain.line(String.join(", ", places)));
    }
  }

  /** Whether everything succeeded. */
  boolean isGood() {
    return problems.isEmpty();
  }
}
