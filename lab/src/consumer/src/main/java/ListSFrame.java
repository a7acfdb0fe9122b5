import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameSection;

/** Lists the functions of a section: {@code ListSFrame FILE ADDRESS}. */
public class ListSFrame {
  public static void main(String[] args) throws Exception {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(Path.of(args[0])));
    SFrameSection section = SFrameSection.read(new Section(bytes, Long.decode(args[1])));
    SFrameFunction function = new SFrameFunction();
    for (int i = 0; i < section.functionCount(); i++) {
      section.open(i, function);
      System.out.printf("0x%x %d%n", function.start(), function.size());
    }
  }
}
