package stackweave.hotspot;

import java.io.IOException;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.walk.NativeUnwinder;

/** The VM that runs the tests, opened for tests. */
final class Vm {
  final ProcessMemory memory = new ProcessMemory();
  final RuleTable rules = new RuleTable(Architecture.X86_64);
  final ProcessModules modules = new ProcessModules(rules, memory);
  final HotSpotMethods methods = new HotSpotMethods();
  final HotSpot hotspot = HotSpot.open(modules.libjvm(), memory);

  Vm() throws IOException, UnsupportedVmException {}

  MixedUnwinder unwinder() {
    return new MixedUnwinder(new NativeUnwinder(rules), hotspot, methods);
  }
}
