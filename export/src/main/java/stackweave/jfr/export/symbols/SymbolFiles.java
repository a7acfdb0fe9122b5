package stackweave.jfr.export.symbols;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.FileElfImage;

/**
 * ELF files by build id, in directories that the user named: as gdb lays them out
 * (.build-id/xx/rest.debug), as debuginfod's clients keep them (ID/debuginfo), or else in any way.
 * Reads no other directory, and does not use the network. Not thread-safe.
 */
final class SymbolFiles {
  /** Most files per directory without a known layout; deeper ones are skipped, too. */
  private static final int MAX_FILES = 50_000;

  private static final int MAX_DEPTH = 12;

  private static final Pattern BUILD_ID = Pattern.compile("[0-9a-f]{4,128}");

  private final List<Path> directories;

  /** All files below the directories; null until a build id was not found by a layout. */
  private Map<String, List<Path>> all;

  private final Set<String> notes = new LinkedHashSet<>();

  SymbolFiles(List<Path> directories) {
    this.directories = directories;
  }

  /** A file and what it holds. */
  record Found(Path path, FileElfImage image) {}

  /** The best file of this build, preferably one with a full symbol table; or null. */
  Found find(String buildId) throws IOException {
    // The id comes from a recording that may be forged, and becomes a part of file names.
    if (!BUILD_ID.matcher(buildId).matches()) {
      return null;
    }
    Found best = null;
    for (Path candidate : candidates(buildId)) {
      FileElfImage image = open(candidate);
      if (image != null && buildId.equals(image.buildId())) {
        Found found = new Found(candidate, image);
        if (image.hasSymtab()) {
          return found;
        }
        best = best == null ? found : best;
      }
    }
    return best;
  }

  private List<Path> candidates(String buildId) throws IOException {
    String directory = buildId.substring(0, 2);
    String rest = buildId.substring(2);
    List<Path> known = new ArrayList<>();
    for (Path root : directories) {
      for (Path candidate :
          List.of(
              root.resolve(".build-id").resolve(directory).resolve(rest + ".debug"),
              root.resolve(directory).resolve(rest + ".debug"),
              root.resolve(buildId).resolve("debuginfo"),
              root.resolve(buildId).resolve("executable"))) {
        if (Files.isRegularFile(candidate)) {
          known.add(candidate);
        }
      }
    }
    return known.isEmpty() ? all().getOrDefault(buildId, List.of()) : known;
  }

  private Map<String, List<Path>> all() throws IOException {
    if (all == null) {
      all = new HashMap<>();
      for (Path root : directories) {
        Files.walkFileTree(
            root, EnumSet.of(FileVisitOption.FOLLOW_LINKS), MAX_DEPTH, new Visitor(root));
      }
    }
    return all;
  }

  /** What was skipped, one line each. */
  List<String> notes() {
    return List.copyOf(notes);
  }

  /** Skips what can't be read, and links that form a cycle. */
  private final class Visitor extends SimpleFileVisitor<Path> {
    private final Path root;
    private int files;

    Visitor(Path root) {
      this.root = root;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (++files > MAX_FILES) {
        notes.add(root + " has more than " + MAX_FILES + " files; the others were not looked at");
        return FileVisitResult.TERMINATE;
      }
      if (attributes.isRegularFile()) {
        add(file);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      if (e instanceof AccessDeniedException) {
        notes.add(file + " may not be read, and was not looked at");
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException e) {
      return FileVisitResult.CONTINUE;
    }
  }

  private void add(Path file) {
    FileElfImage image = open(file);
    if (image != null && image.buildId() != null) {
      all.computeIfAbsent(image.buildId(), id -> new ArrayList<>()).add(file);
    }
  }

  private static FileElfImage open(Path file) {
    try {
      return FileElfImage.open(file);
    } catch (ElfFormatException e) {
      return null; // no ELF file
    }
  }
}
