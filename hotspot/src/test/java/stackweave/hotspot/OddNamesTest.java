package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.unwind.snapshot.StackSnapshot;

/** What class files permit as names (JVMS 4.2.2) is read as the class itself says. */
class OddNamesTest {
  private static final int UTF8 = 1;

  private final Vm vm = new Vm();
  private final FrameBuffer frames = new FrameBuffer(512);

  OddNamesTest() throws Exception {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "größe",
        "日本語",
        "\ud835\udcb3loop",
        "a\u0001b",
        "half\ud800",
        "\udc00\ud800",
        "nul\u0000",
        "\ufffd",
        "line\nend",
        "a (b) & \"c\" ]\\",
        "right\u202eto left",
        "hex+0x1f",
      })
  void isShown(String name) throws Exception {
    Class<?> type =
        MethodHandles.lookup().defineClass(renamed("stackweave/hotspot/Odd$" + name, name));
    MethodType takes = MethodType.methodType(void.class, int[].class, CountDownLatch.class);
    MethodHandle method =
        MethodHandles.privateLookupIn(type, MethodHandles.lookup()).findStatic(type, name, takes);
    CountDownLatch stop = new CountDownLatch(1);
    int[] tid = new int[1];
    Thread thread =
        new Thread(
            () -> {
              try {
                method.invokeExact(tid, stop);
              } catch (Throwable e) {
                throw new IllegalStateException(e);
              }
            });
    thread.start();
    try {
      vm.unwinder().unwind(parked(thread, tid), vm.modules, frames);
    } finally {
      stop.countDown();
      thread.join();
    }
    List<String> shown = new ArrayList<>();
    for (int i = 0; i < frames.count(); i++) {
      if (frames.method(i) != FrameBuffer.NO_METHOD) {
        HotSpotMethod found = vm.methods.get(frames.method(i));
        shown.add(found.className() + " " + found.name());
      }
    }
    assertTrue(shown.contains(type.getName() + " " + name), shown::toString);
  }

  private StackSnapshot parked(Thread thread, int[] tid) throws Exception {
    while (true) {
      Thread.sleep(1);
      try {
        if (thread.getState() == Thread.State.WAITING) {
          return ParkedThread.snapshot(tid[0], vm.memory);
        }
      } catch (IllegalStateException e) {
        // On its way into the system call.
      }
    }
  }

  /** The class file of {@link OddNames} with other names. */
  private static byte[] renamed(String className, String method) throws IOException {
    byte[] classFile;
    try (InputStream in = OddNames.class.getResourceAsStream("OddNames.class")) {
      classFile = in.readAllBytes();
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(in.readNBytes(8));
    int count = in.readUnsignedShort();
    out.writeShort(count);
    for (int i = 1; i < count; i++) {
      int tag = in.readUnsignedByte();
      out.writeByte(tag);
      if (tag == UTF8) {
        String text = in.readUTF();
        out.writeUTF(
            text.equals("stackweave/hotspot/OddNames")
                ? className
                : text.equals("method") ? method : text);
      } else {
        // Classes, strings, method types; else what has two indices or four bytes.
        out.write(in.readNBytes(tag == 7 || tag == 8 || tag == 16 ? 2 : 4));
      }
    }
    in.transferTo(out);
    return bytes.toByteArray();
  }
}
