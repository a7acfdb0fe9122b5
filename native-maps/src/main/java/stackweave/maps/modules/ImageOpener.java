package stackweave.maps.modules;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.elf.ElfImage;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.MemoryElfImage;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcessFiles.OpenFile;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.TableMemory;
import stackweave.unwind.rule.RuleTable;

/**
 * Opens the image of a mapping, and verifies that it is the mapped one, as a path may name another
 * file by now, or none. Tried in order: the file at the path, if device and inode are the
 * mapping's; the mapped file through a descriptor that is kept, or map_files; the file at the path,
 * if its build id is the one in memory (stacked file systems show other devices); the memory. Equal
 * images are opened once. Used by {@link ModuleIndex}; not thread-safe.
 */
final class ImageOpener {
  private static final int PAGE = 4096;
  private static final String HELD = "file deleted; read while it was held open";

  private final MemoryReader memory;
  private final ModuleSources sources;
  private final DebugFiles debugFiles;
  private final RuleTable rules;
  private final Map<List<Object>, WeakReference<ModuleImage>> shared = new HashMap<>();
  private KeptFiles kept = KeptFiles.NONE;

  ImageOpener(MemoryReader memory, RuleTable rules, ModuleSources sources) {
    this.memory = memory;
    this.rules = rules;
    this.sources = sources;
    this.debugFiles = new DebugFiles(sources.files(), sources.debugRoot(), rules.memory());
  }

  /** Sets who keeps files of deleted libraries, through which these are read. */
  void keptBy(KeptFiles kept) {
    this.kept = kept;
  }

  /**
   * Opens the image of {@code code}. Never fails, but may return {@link ImageOrigin#NONE} and why.
   *
   * @param code a mapping of the image's code
   * @param mappings all present mappings
   */
  ModuleImage open(Mapping code, List<Mapping> mappings) {
    StringJoiner why = new StringJoiner("; ");
    Place place = Place.of(code, mappings);
    if (code.path().startsWith("/")) {
      Path path = path(code, why);
      boolean surely = path != null && isInode(path, code);
      ModuleImage image = surely ? viaPath(path, code, place, why) : null;
      Path held = image == null ? kept.of(code.path()) : null;
      if (held != null) {
        // It may have been loaded from the same path before or after this one.
        image =
            viaOther(
                held,
                elf -> isInode(held, code) || doubt(elf, place) == null,
                HELD,
                code,
                place,
                new StringJoiner(""));
      }
      if (image == null && code.isFile() && sources.mapFiles()) {
        image = viaOther(mapFile(code), elf -> true, "", code, place, why);
      }
      if (image == null && path != null && !surely) {
        image = viaPath(path, code, place, why);
      }
      if (image != null) {
        return image;
      }
    }
    return viaMemory(code, place, why);
  }

  private Path path(Mapping code, StringJoiner why) {
    if (code.deleted()) {
      why.add("file deleted");
      return null;
    }
    try {
      Path path = Path.of(code.path());
      if (isRegular(path)) {
        return path;
      }
      why.add("no file at the path");
    } catch (InvalidPathException e) {
      why.add("path not expressible in the JVM's file name encoding");
    }
    return null;
  }

  private boolean isRegular(Path path) {
    try (OpenFile file = sources.files().open(path)) {
      return Files.isRegularFile(file.path());
    } catch (IOException e) {
      return false;
    }
  }

  private ModuleImage viaPath(Path path, Mapping code, Place place, StringJoiner why) {
    try {
      FileElfImage elf = FileElfImage.open(sources.files(), path, rules.memory());
      String doubt = isInode(path, code) ? null : doubt(elf, place);
      if (doubt == null) {
        return share(elf, ImageOrigin.FILE, code, place, why.toString());
      }
      why.add(doubt);
    } catch (ElfFormatException e) {
      why.add("file: " + e.getMessage());
    }
    return null;
  }

  private Path mapFile(Mapping code) {
    return sources
        .process()
        .resolve("map_files")
        .resolve(Long.toHexString(code.start()) + "-" + Long.toHexString(code.end()));
  }

  /** Opens the mapped file by another path, which exists for a short time; null if it is not it. */
  private ModuleImage viaOther(
      Path other,
      Predicate<FileElfImage> isMapped,
      String origin,
      Mapping code,
      Place place,
      StringJoiner why) {
    try {
      FileElfImage elf = FileElfImage.open(sources.files(), other, rules.memory());
      if (isMapped.test(elf)) {
        ModuleImage image = share(elf, ImageOrigin.MAPPED_FILE, code, place, origin);
        image.readNow();
        return image;
      }
    } catch (ElfFormatException e) {
      // Without privilege this is common, and the next way serves as well.
      if (e.reason() != Reason.UNREADABLE) {
        why.add("mapped file: " + e.getMessage());
      }
    }
    return null;
  }

  /**
   * The image of a file that has vanished or changed since it was opened: from where somebody holds
   * it open, or from memory; as it was if neither has it.
   */
  private OpenedImage again(OpenedImage gone, String path, Place place) {
    Path held = kept.of(path);
    try {
      FileElfImage elf =
          held == null ? null : FileElfImage.open(sources.files(), held, rules.memory());
      if (elf != null && isSame(gone.elf(), elf)) {
        return new OpenedImage(elf, ImageOrigin.MAPPED_FILE, HELD);
      }
    } catch (ElfFormatException e) {
      // Memory serves as well.
    }
    String why = "file vanished or changed after it was opened";
    try {
      MemoryElfImage elf = place == null ? null : place.open(memory, rules.memory());
      if (elf != null && isSame(gone.elf(), elf)) {
        return new OpenedImage(elf, ImageOrigin.MEMORY, why);
      }
    } catch (ElfFormatException e) {
      why += "; memory: " + e.getMessage();
    }
    return new OpenedImage(gone.elf(), gone.origin(), why);
  }

  /** Whether both are the same image, by build id or, without one, by program headers. */
  private static boolean isSame(ElfImage gone, ElfImage found) {
    return gone.buildId() == null && found.buildId() == null
        ? gone.headers.segments().equals(found.headers.segments())
        : gone.buildId() != null && gone.buildId().equals(found.buildId());
  }

  /** Why the file at the path may not be the mapped one; null if it certainly is. */
  private String doubt(FileElfImage elf, Place place) {
    String mapped = null;
    if (place != null) {
      try {
        mapped = place.headers(memory).buildId();
      } catch (ElfFormatException e) {
        return "file can't be verified: memory: " + e.getMessage();
      }
    }
    if (mapped == null || elf.buildId() == null) {
      return "file at the path can't be verified";
    }
    return mapped.equals(elf.buildId()) ? null : "another file is at the path now";
  }

  private boolean isInode(Path path, Mapping code) {
    try (OpenFile open = sources.files().open(path)) {
      Map<String, Object> file = Files.readAttributes(open.path(), "unix:dev,ino");
      long device = (Long) file.get("dev");
      return code.isFile()
          && (Long) file.get("ino") == code.inode()
          && major(device) == code.major()
          && minor(device) == code.minor();
    } catch (IOException e) {
      return false;
    }
  }

  /** As in glibc's sys/sysmacros.h. */
  private static int major(long device) {
    return (int) (((device >>> 8) & 0xfff) | ((device >>> 32) & 0xfffff000L));
  }

  private static int minor(long device) {
    return (int) ((device & 0xff) | ((device >>> 12) & 0xffffff00L));
  }

  private ModuleImage viaMemory(Mapping code, Place place, StringJoiner why) {
    if (place == null) {
      why.add("memory: ELF header not mapped");
      return nothing(code, why.toString());
    }
    try {
      MemoryElfImage elf = place.open(memory, rules.memory());
      return share(elf, ImageOrigin.MEMORY, code, place, why.toString());
    } catch (ElfFormatException e) {
      why.add("memory: " + e.getMessage());
      return nothing(code, why.toString());
    }
  }

  private ModuleImage nothing(Mapping code, String why) {
    OpenedImage nothing = new OpenedImage(null, ImageOrigin.NONE, why);
    return new ModuleImage(nothing, debugFiles, rules, code.path(), UnaryOperator.identity());
  }

  private ModuleImage share(
      ElfImage elf, ImageOrigin origin, Mapping code, Place place, String why) {
    shared.values().removeIf(reference -> reference.get() == null);
    Object content = elf instanceof FileElfImage file ? file.content() : elf.buildId();
    // The reason is a part of the key, since the image reports it.
    List<Object> key = content == null ? null : List.of(content, origin, why);
    WeakReference<ModuleImage> reference = shared.get(key);
    ModuleImage known = reference == null ? null : reference.get();
    if (known != null && known.isReadable()) {
      return known;
    }
    ModuleImage image =
        new ModuleImage(
            new OpenedImage(elf, origin, why),
            debugFiles,
            rules,
            code.path(),
            gone -> again(gone, code.path(), place));
    if (key != null) {
      shared.put(key, new WeakReference<>(image));
    }
    return image;
  }

  /**
   * Where an image is in memory. Its program headers say that, not its mappings: of a small library
   * each segment may begin with the file's first page.
   *
   * @param header the nearest mapping at or below the code that begins with the ELF header; the
   *     code itself where that was moved off the file
   */
  private record Place(Mapping header, Mapping code) {

    static Place of(Mapping code, List<Mapping> mappings) {
      Mapping header = code.isFile() && code.offset() == 0 ? code : null;
      for (Mapping m : mappings) {
        if (Long.compareUnsigned(m.start(), code.start()) > 0) {
          break;
        }
        if (m.offset() == 0 && belongs(m, code)) {
          header = m;
        }
      }
      return header == null ? null : new Place(header, code);
    }

    private static boolean belongs(Mapping m, Mapping code) {
      return code.isFile() ? m.isSameFile(code) : m.start() == code.start();
    }

    MemoryElfImage headers(MemoryReader memory) throws ElfFormatException {
      MemoryElfImage here = MemoryElfImage.headers(memory, header.start(), length());
      return MemoryElfImage.headers(memory, base(here), size(here));
    }

    MemoryElfImage open(MemoryReader memory, TableMemory tables) throws ElfFormatException {
      MemoryElfImage here = MemoryElfImage.headers(memory, header.start(), length());
      return MemoryElfImage.open(memory, base(here), size(here), tables);
    }

    private long length() {
      return header.end() - header.start();
    }

    private long base(ElfImage here) throws ElfFormatException {
      return here.bias(code.start(), code.offset()) + (here.lowestAddress() & -PAGE);
    }

    private static long size(ElfImage here) {
      return here.highestAddress() - (here.lowestAddress() & -PAGE);
    }
  }
}
