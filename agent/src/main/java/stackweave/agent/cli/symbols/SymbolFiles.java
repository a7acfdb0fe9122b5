package stackweave.agent.cli.symbols;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.FileElfImage;

/**
 * ELF files by build id, in directories that the user named: as gdb lays them out
 * (.build-id/xx/rest.debug), as debuginfod's clients keep them (ID/debuginfo), or else in any way.
 * Reads no other directory, and nothing from a network. Not thread-safe.
 */
final class SymbolFiles {
  /** More files, or deeper ones, are not looked at where no layout is known, of each directory. */
  private static final int MAX_FILES = 50_000;

  private static final int MAX_DEPTH = 12;

  private static final Pattern BUILD_ID = Pattern.compile("[0-9a-f]{4,128}");

  private final List<Path> directories;

  /** Of all files below the directories, once one was looked for in vain; null before. */
  private Map<String, List<Path>> all;

  SymbolFiles(List<Path> directories) {
    this.directories = directories;
  }

  /** A file and what it holds. */
  record Found(Path path, FileElfImage image) {}

  /** The file of this build with the most to say, or null: one with a full symbol table first. */
  Found find(String buildId) {
    // It is of the recording, which may say anything, and becomes a part of names of files.
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

  private List<Path> candidates(String buildId) {
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

  private Map<String, List<Path>> all() {
    if (all == null) {
      all = new HashMap<>();
      for (Path root : directories) {
        try (Stream<Path> files =
            Files.find(
                root,
                MAX_DEPTH,
                (path, attributes) -> attributes.isRegularFile(),
                FileVisitOption.FOLLOW_LINKS)) {
          files.limit(MAX_FILES).forEach(this::add);
        } catch (IOException | UncheckedIOException e) {
          // What can't be read has no symbols for us; the others may.
          continue;
        }
      }
    }
    return all;
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
