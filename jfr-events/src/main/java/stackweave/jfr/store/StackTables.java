package stackweave.jfr.store;

/** What a store remembers of one generation, each with the chunk that holds it. */
final class StackTables {
  final StackTrie trie = new StackTrie(1);
  final Definitions<MethodDefinition> methods = new Definitions<>();
  final Definitions<ModuleDefinition> modules = new Definitions<>();
  final ThreadTable threads = new ThreadTable();

  boolean isFull(StoreLimits limits) {
    return trie.count() >= limits.nodes()
        || methods.count() >= limits.methods()
        || modules.count() >= limits.modules()
        || threads.count() >= limits.threads();
  }

  /** Forgets everything; ids go on. */
  void clear() {
    trie.clear();
    methods.clear();
    modules.clear();
    threads.clear();
  }
}
