package stackweave.packaging;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/** Of Byte Buddy, what the agent's classes lead to, without debug information: its copy of ASM. */
final class ByteBuddyParts {
  private static final String PACKAGE = "net/bytebuddy/";

  private final Map<String, byte[]> parts = new HashMap<>();
  private final Map<String, Set<String>> references = new HashMap<>();
  private final Set<String> wanted = new TreeSet<>();

  static boolean isPart(String path) {
    return path.startsWith(PACKAGE) && path.endsWith(".class");
  }

  /** Notes what a class that is no part of Byte Buddy refers to. */
  void user(byte[] classFile) {
    noteReferences(classFile, new ClassWriter(0), wanted);
  }

  /** Takes a class of Byte Buddy. */
  void add(byte[] classFile) {
    Set<String> referred = new HashSet<>();
    ClassWriter writer = new ClassWriter(0);
    String name = noteReferences(classFile, writer, referred);
    parts.put(name, writer.toByteArray());
    references.put(name, referred);
  }

  /** The parts that are needed by those noted, and by each other; by their internal names. */
  SortedMap<String, byte[]> needed() {
    SortedMap<String, byte[]> needed = new TreeMap<>();
    Deque<String> open = new ArrayDeque<>(wanted);
    while (!open.isEmpty()) {
      String name = open.pop();
      if (parts.containsKey(name) && needed.put(name, parts.get(name)) == null) {
        open.addAll(references.get(name));
      }
    }
    return needed;
  }

  /** Returns the name of the class. */
  private static String noteReferences(byte[] classFile, ClassWriter writer, Set<String> names) {
    Remapper noting =
        new Remapper(Opcodes.ASM9) {
          @Override
          public String map(String internalName) {
            if (internalName.startsWith(PACKAGE)) {
              names.add(internalName);
            }
            return null;
          }
        };
    ClassReader reader = new ClassReader(classFile);
    reader.accept(new ClassRemapper(writer, noting), ClassReader.SKIP_DEBUG);
    return reader.getClassName();
  }
}
