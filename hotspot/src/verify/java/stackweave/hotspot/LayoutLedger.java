package stackweave.hotspot;

import java.util.Map;
import java.util.TreeMap;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.hotspot.vmstructs.Ledger;
import stackweave.hotspot.vmstructs.UnsupportedVmException;

/**
 * Prints what the ledger finds in the JVM that runs this, {@code name type} per line, and what
 * becomes of the JVM's description when each entry in turn is hidden from it. A program of its own,
 * so that it runs on any JDK.
 */
public final class LayoutLedger {
  private LayoutLedger() {}

  public static void main(String[] args) throws Exception {
    Vm vm = new Vm();
    types(vm.hotspot.layout()).forEach((name, type) -> System.out.println(name + " " + type));
    boolean told = true;
    for (Ledger.Entry entry : vm.hotspot.layout().entries()) {
      if (entry.found() != null) {
        told &= isTold(vm, entry);
      }
    }
    System.exit(told ? 0 : 1);
  }

  /** What this JVM has, with the type that it says. */
  static Map<String, String> types(Layout layout) {
    Map<String, String> types = new TreeMap<>();
    for (Ledger.Entry entry : layout.entries()) {
      if (entry.found() != null) {
        types.put(entry.found(), entry.type());
      }
    }
    return types;
  }

  /** Whether the lack of a required entry is told by its name, and that of another does no harm. */
  private static boolean isTold(Vm vm, Ledger.Entry entry) throws Exception {
    HiddenEntry hiding = new HiddenEntry(vm.modules.libjvm(), vm.memory, entry.found());
    String expected =
        entry.required()
            ? "this JDK is not supported for Java frames: missing " + entry.text()
            : "supported";
    String seen = "supported";
    try {
      HotSpot.open(vm.modules.libjvm(), hiding);
    } catch (UnsupportedVmException e) {
      seen = e.getMessage();
    }
    if (!seen.equals(expected)) {
      System.out.println("FAIL without " + entry.found() + ": " + seen);
      System.out.println("     expected: " + expected);
    }
    return seen.equals(expected);
  }
}
