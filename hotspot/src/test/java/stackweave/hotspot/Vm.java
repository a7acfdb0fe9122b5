package stackweave.hotspot;

import java.io.IOException;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.walk.NativeUnwinder;

/** The VM that runs the tests, opened for tests. */
public final class Vm {
  public final ProcessMemory memory = new ProcessMemory();
  final RuleTable rules = new RuleTable(Architecture.X86_64);
  public final ProcessModules modules = new ProcessModules(rules, memory);
  final HotSpotMethods methods = new HotSpotMethods();
  public final HotSpot hotspot = HotSpot.open(modules.libjvm(), memory);

  public Vm() throws IOException, UnsupportedVmException {}

  public Layout layout() {
    return hotspot.layout();
  }

  MixedUnwinder unwinder() {
    return new MixedUnwinder(new NativeUnwinder(rules), hotspot, methods);
  }
}
