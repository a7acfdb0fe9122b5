package stackweave.lab.pauses;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Loads and initializes as many classes as a large application has. */
public final class ManyClasses {
  private static final String NAME = "Template00000";

  private ManyClasses() {}

  /** A class loader whose classes are copies of one class file. */
  private static final class Copies extends ClassLoader {
    private final byte[] template;
    private final List<Integer> places = new ArrayList<>();

    Copies(byte[] template) {
      super(ManyClasses.class.getClassLoader());
      this.template = template;
      byte[] name = NAME.getBytes(StandardCharsets.US_ASCII);
      for (int at = 0; at + name.length <= template.length; at++) {
        int same = 0;
        while (same < name.length && template[at + same] == name[same]) {
          same++;
        }
        if (same == name.length) {
          places.add(at);
        }
      }
    }

    Class<?> define(int number) {
      String name = String.format(Locale.ROOT, "Template%05d", number);
      byte[] copy = template.clone();
      for (int place : places) {
        System.arraycopy(name.getBytes(StandardCharsets.US_ASCII), 0, copy, place, name.length());
      }
      return defineClass(ManyClasses.class.getPackageName() + "." + name, copy, 0, copy.length);
    }
  }

  /**
   * Loads and initializes {@code count} copies of {@link Template00000}.
   *
   * @param count from 1 to 99,999
   * @return the classes, which keep them loaded
   */
  public static List<Class<?>> load(int count) throws IOException, ReflectiveOperationException {
    byte[] template;
    try (InputStream in = ManyClasses.class.getResourceAsStream(NAME + ".class")) {
      template = in.readAllBytes();
    }
    Copies loader = new Copies(template);
    List<Class<?>> classes = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      Class<?> type = loader.define(i);
      classes.add(Class.forName(type.getName(), true, loader));
    }
    return classes;
  }
}
