package stackweave.benchmarks.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Finds the named situations that a sample shows, by the kind of the innermost frame, the VM's name
 * for the code, the instruction at the pc, and the names of frames. Must not ask the decoder which
 * way it took, since the recorded cases test it.
 */
final class Situations {
  private static final int CODE = 8;

  private final HotSpot hotspot;
  private final HotSpotMethods methods;
  private final MemoryReader memory;
  private final byte[] code = new byte[CODE];

  Situations(HotSpot hotspot, HotSpotMethods methods, MemoryReader memory) {
    this.hotspot = hotspot;
    this.methods = methods;
    this.memory = memory;
  }

  /**
   * Names of situations.
   *
   * @param text of the frames
   */
  List<String> of(StackSnapshot sample, FrameBuffer frames, String text) {
    List<String> names = new ArrayList<>();
    int leaf = sample.kernelFrameCount();
    if (leaf == frames.count()) {
      return names;
    }
    String top = top(sample, frames, leaf);
    if (top != null) {
      names.add(top);
    }
    addFeatures(frames, text, names);
    return names;
  }

  private String top(StackSnapshot sample, FrameBuffer frames, int leaf) {
    long pc = sample.registers().pc();
    return switch (frames.kind(leaf)) {
      case NATIVE -> sample.kernelFrameCount() > 0 ? null : belowNative(frames, leaf);
      case INTERPRETED -> interpreted(pc);
      case C1, C2, C1_OSR, C2_OSR, INLINED -> compiled(frames, leaf) + instruction(pc);
      case NATIVE_METHOD -> {
        String codelet = interpreted(pc);
        yield codelet == null ? "native-wrapper" + instruction(pc) : codelet;
      }
      case STUB -> slug(methods.get(frames.method(leaf)).name()) + instruction(pc);
      default -> null;
    };
  }

  /** Which HotSpot frame called native code. */
  private String belowNative(FrameBuffer frames, int leaf) {
    int i = leaf;
    while (i < frames.count() && frames.kind(i) == FrameKind.NATIVE) {
      i++;
    }
    if (i == frames.count()) {
      return null;
    }
    return switch (frames.kind(i)) {
      case STUB -> "under-" + slug(methods.get(frames.method(i)).name());
      case C1, C2, C1_OSR, C2_OSR, INLINED -> "under-" + compiled(frames, i);
      case INTERPRETED -> "under-interpreter";
      case NATIVE_METHOD -> "under-native-method";
      default -> null;
    };
  }

  private static String compiled(FrameBuffer frames, int inner) {
    int i = inner;
    while (i + 1 < frames.count() && frames.kind(i) == FrameKind.INLINED) {
      i++;
    }
    return slug(frames.kind(i).label());
  }

  /** The situation of an interpreter codelet; null for code that is none. */
  private String interpreted(long pc) {
    String codelet = hotspot.codeAt(pc);
    if (codelet.contains("method entry point")) {
      String kind = codelet.replaceAll(".*kind = (\\w+).*", "$1");
      return "interpreter-entry-" + slug(kind) + instruction(pc);
    }
    if (codelet.contains("return entry") || codelet.contains("deopt")) {
      return "interpreter-" + slug(codelet);
    }
    if (codelet.matches("invoke\\w+|\\w?return|_new|new|fast_\\w*access\\w*|monitorenter|athrow")) {
      return "interpreter-" + slug(codelet) + instruction(pc);
    }
    return codelet.isEmpty() || codelet.startsWith("native nmethod")
        ? null
        : "interpreter-bytecode";
  }

  private void addFeatures(FrameBuffer frames, String text, List<String> names) {
    addIf(names, "jni-callbacks", count(text, " call_stub\n") > 2);
    addIf(names, "ffm-upcall", text.contains(" upcall_stub"));
    addIf(names, "ffm-downcall", text.contains("nep_invoker"));
    addIf(names, "signal-handler", text.contains("__restore_rt"));
    addIf(names, "virtual-thread", text.contains("Continuation.enterSpecial"));
    addIf(names, "deep-inlining", count(text, "inlined ") >= 8);
    addIf(names, "lambda-form", text.contains("java.lang.invoke.LambdaForm"));
    addIf(names, "hidden-class", text.contains("/0x0"));
    addIf(names, "reflection", text.contains("java.lang.reflect.Method.invoke("));
    addIf(names, "class-initializer", text.contains(".<clinit>()V"));
    addIf(names, "compiler-thread", text.contains("CompileBroker::compiler_thread_loop"));
    addIf(names, "gc-thread", text.contains("GangWorker::") || text.contains("WorkerThread::run"));
    addIf(names, "vm-thread", text.contains("VMThread::run"));
    addIf(
        names,
        "attached-thread",
        text.contains("lab_")
            && text.contains("start_thread")
            && !text.contains("thread_native_entry"));
    addIf(
        names,
        "sixty-frames",
        frames.count() >= 58
            && frames.count() <= 62
            && text.startsWith("native")
            && text.contains("\nC2 "));
  }

  private static void addIf(List<String> names, String name, boolean shown) {
    if (shown) {
      names.add(name);
    }
  }

  private static int count(String text, String part) {
    return text.split(java.util.regex.Pattern.quote(part), -1).length - 1;
  }

  /** What the instruction at a pc does to the frame, as the end of a name; empty for nothing. */
  private String instruction(long pc) {
    try {
      memory.read(pc, code, 0, CODE);
    } catch (UnreadableMemoryException e) {
      return "-gone";
    }
    if (code[0] == 0x55) {
      return "-prologue-push";
    }
    if (code[0] == 0x5d) {
      return "-epilogue-pop";
    }
    if (code[0] == (byte) 0xc3) {
      return "-epilogue-ret";
    }
    if (code[0] == (byte) 0xc9) {
      return "-epilogue-leave";
    }
    int three = (code[0] & 0xff) << 16 | (code[1] & 0xff) << 8 | code[2] & 0xff;
    return switch (three) {
      case 0x4881ec, 0x4883ec -> "-prologue-sub";
      case 0x4881c4, 0x4883c4 -> "-epilogue-add";
      case 0x488bec, 0x4889e5 -> "-prologue-mov";
      case 0x898424 -> "-prologue-bang";
      case 0x493ba7, 0x493b67 -> "-epilogue-poll";
      case 0x41817f -> "-entry-barrier";
      default -> "";
    };
  }

  private static String slug(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
  }
}
