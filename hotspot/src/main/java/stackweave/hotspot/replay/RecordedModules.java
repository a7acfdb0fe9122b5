package stackweave.hotspot.replay;

import java.util.List;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.CodeModules;

/** The native code of a replay file, as the native unwinder asks for it. */
final class RecordedModules implements CodeModules {
  private final List<RecordedModule> recorded;
  private final CodeModule[] opened;

  RecordedModules(List<RecordedModule> recorded, RuleTable rules) {
    this.recorded = recorded;
    this.opened = recorded.stream().map(m -> m.open(rules)).toArray(CodeModule[]::new);
  }

  @Override
  public int generation() {
    return 1;
  }

  @Override
  public CodeModule find(long pc) {
    int i = indexOf(pc);
    return i < 0 ? null : opened[i];
  }

  /** The recorded module at a pc, or null. */
  RecordedModule recordedAt(long pc) {
    int i = indexOf(pc);
    return i < 0 ? null : recorded.get(i);
  }

  private int indexOf(long pc) {
    for (int i = 0; i < opened.length; i++) {
      RecordedModule module = recorded.get(i);
      if (Long.compareUnsigned(pc, module.start()) >= 0
          && Long.compareUnsigned(pc, module.end()) < 0) {
        return i;
      }
    }
    return -1;
  }
}
