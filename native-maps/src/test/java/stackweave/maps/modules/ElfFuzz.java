package stackweave.maps.modules;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.ImageBytes;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcessFiles;
import stackweave.maps.symbols.SymbolTable;
import stackweave.unwind.Architecture;
import stackweave.unwind.TableMemory;
import stackweave.unwind.rule.RuleTable;

/** What Jazzer runs on bytes as an ELF file. */
public final class ElfFuzz {
  private static final Mapping MAPPING =
      new Mapping(0x10000, 0x11000, true, false, true, false, 0x1000, 1, 1, 1, "/x", false);

  private ElfFuzz() {}

  /** Everything that is read of a module's file. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    FileElfImage image;
    try {
      image = FileElfImage.open(new ImageBytes.OfBuffer(ByteBuffer.wrap(bytes)));
    } catch (ElfFormatException e) {
      return;
    }
    image.relocatedSFrame();
    ModuleImage module =
        new ModuleImage(
            new OpenedImage(image, ImageOrigin.FILE, ""),
            new DebugFiles(ProcessFiles.OWN, Path.of("/nonexistent"), TableMemory.HEAP),
            new RuleTable(Architecture.X86_64),
            "/x",
            UnaryOperator.identity());
    SymbolTable symbols = module.symbols();
    for (int i = 0; i < Math.min(symbols.size(), 50); i++) {
      symbols.name(i);
      module.unwindTable().find(symbols.start(i));
    }
    module.exported("shown");
    module.unwindTable().find(0x1100);
    new MappedModule(1, MAPPING, module).why();
  }
}
