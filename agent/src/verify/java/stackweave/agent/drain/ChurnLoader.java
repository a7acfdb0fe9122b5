package stackweave.agent.drain;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Defines {@link ChurnGGGGGG} anew, under the name of a generation. */
final class ChurnLoader extends ClassLoader {
  static final String PATTERN = "GGGGGG";

  private ChurnLoader() {
    super(ChurnLoader.class.getClassLoader());
  }

  /** Characters of a generation's number: as many as the pattern has, so that no offset changes. */
  static String number(int generation) {
    return String.format("%0" + PATTERN.length() + "d", generation);
  }

  static ChurnBase load(int generation) throws ReflectiveOperationException, IOException {
    String name = ChurnGGGGGG.class.getName();
    byte[] bytes;
    try (InputStream in =
        ChurnLoader.class.getResourceAsStream(ChurnGGGGGG.class.getSimpleName() + ".class")) {
      // A class file is not text, but its names are found and replaced as if it were Latin text.
      String text = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
      bytes = text.replace(PATTERN, number(generation)).getBytes(StandardCharsets.ISO_8859_1);
    }
    Class<?> defined =
        new ChurnLoader()
            .defineClass(name.replace(PATTERN, number(generation)), bytes, 0, bytes.length);
    var constructor = defined.getDeclaredConstructor();
    constructor.setAccessible(true);
    return (ChurnBase) constructor.newInstance();
  }
}
