package stackweave.jfr.store;

import java.util.HashMap;
import java.util.Map;
import stackweave.jfr.event.LibraryName;
import stackweave.jfr.read.SampleDefinitions;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.SessionCodes;
import stackweave.jfr.read.StackEnd;
import stackweave.jfr.read.StackThread;

/**
 * The store's definitions as a reader of its recording would have them, for weaving samples as they
 * are written. Guarded by the gate's lock.
 */
final class StoredStacks implements SampleDefinitions {
  /** Instead of a build id, if libraries of several builds have the name. */
  private static final String SEVERAL = "";

  private final StackTables tables;
  private final StoreLimits limits;
  private final SessionCodes codes;

  /** Build ids by the name of the library. */
  private final Map<String, String> builds = new HashMap<>();

  StoredStacks(StackTables tables, StoreLimits limits, SessionInfo info) {
    this.tables = tables;
    this.limits = limits;
    this.codes =
        new SessionCodes(
            info.kindLegend(), info.endLegend(), info.completeEnds(), info.stateLegend(), "", "");
  }

  private int index(long node) {
    return tables.trie.indexOf(node);
  }

  @Override
  public int maxMethods() {
    return limits.methods();
  }

  @Override
  public int maxThreads() {
    return limits.threads();
  }

  @Override
  public long parent(long node) {
    return tables.trie.parent(index(node));
  }

  @Override
  public long code(long node) {
    int index = index(node);
    return tables.trie.method(index) << 7 | tables.trie.kind(index);
  }

  @Override
  public SampledFrame frame(long node) {
    int index = index(node);
    String kind = codes.kind(tables.trie.kind(index));
    return new SampledFrame(definition(tables.trie.method(index)), kind, 0, 0);
  }

  @Override
  public int line(long node) {
    return tables.trie.line(index(node));
  }

  @Override
  public long offset(long node) {
    return tables.trie.offset(index(node));
  }

  private SampledMethod definition(long methodId) {
    int index = tables.methods.indexOf(methodId);
    MethodDefinition method = tables.methods.at(index);
    int module = tables.modules.indexOf(method.moduleId());
    return new SampledMethod(
        module < 0 ? null : module(tables.modules.at(module)),
        method.className(),
        method.name(),
        method.descriptor(),
        method.modifiers(),
        method.sourceFile(),
        method.start());
  }

  private SampledModule module(ModuleDefinition module) {
    String name = LibraryName.of(module.path());
    String build = module.buildId().isEmpty() ? module.path() : module.buildId();
    String other = builds.putIfAbsent(name, build);
    if (other != null && !other.equals(build)) {
      builds.put(name, SEVERAL);
    }
    return new SampledModule(
        module.path(),
        name,
        module.buildId(),
        module.start(),
        module.end(),
        module.unwindSource(),
        module.unwindReason(),
        module.functions(),
        module.symbolsFrom(),
        builds.get(name).equals(SEVERAL));
  }

  @Override
  public StackThread thread(long threadKey) {
    ThreadTable.Entry thread = tables.threads.get(threadKey);
    return thread == null
        ? null
        : new StackThread(
            thread.name(), thread.tid(), thread.javaId(), thread.virtual(), thread.carrierId());
  }

  @Override
  public StackEnd end(int code) {
    return codes.end(code);
  }
}
