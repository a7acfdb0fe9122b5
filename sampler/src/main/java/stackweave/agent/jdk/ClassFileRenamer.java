package stackweave.agent.jdk;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Replaces names in a class file: all are texts of its constant pool (JVMS 4.4), and nothing else
 * depends on their lengths. Byte Buddy's copy of ASM could do that, too, but would have to be
 * loaded at each start of sampling. Stateless.
 */
public final class ClassFileRenamer {
  /** Magic number, minor and major version. */
  private static final int HEADER_BYTES = 8;

  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int METHOD_HANDLE = 15;

  private ClassFileRenamer() {}

  /** The class file with each {@code prefix} in a text replaced. */
  public static byte[] replace(byte[] classFile, String prefix, String by) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(classFile.length);
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(in.readNBytes(HEADER_BYTES));
    int count = in.readUnsignedShort();
    out.writeShort(count);
    for (int i = 1; i < count; i++) {
      int tag = in.readUnsignedByte();
      out.writeByte(tag);
      if (tag == UTF8) {
        out.writeUTF(in.readUTF().replace(prefix, by));
      } else {
        out.write(in.readNBytes(bytes(tag)));
      }
      if (tag == LONG || tag == DOUBLE) {
        i++; // a long or double takes two indices
      }
    }
    in.transferTo(out);
    return bytes.toByteArray();
  }

  /** The number of bytes of a constant after its tag. */
  private static int bytes(int tag) throws IOException {
    return switch (tag) {
      case 3, 4, 9, 10, 11, 12, 17, 18 -> 4; // numbers, members, names with types, dynamic
      case LONG, DOUBLE -> 8;
      case 7, 8, 16, 19, 20 -> 2; // classes, strings, method types, modules, packages
      case METHOD_HANDLE -> 3;
      default -> throw new IOException("constant with tag " + tag);
    };
  }
}
