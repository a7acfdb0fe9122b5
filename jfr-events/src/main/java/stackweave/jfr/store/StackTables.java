package stackweave.jfr.store;

/** The definitions of one generation of a store, each with the last chunk that has it. */
final class StackTables {
  final StackTrie trie = new StackTrie(1);
  final InternedDefinitions<MethodDefinition> methods = new InternedDefinitions<>();
  final InternedDefinitions<ModuleDefinition> modules = new InternedDefinitions<>();
  final ThreadTable threads = new ThreadTable();
  final ContextTable contexts = new ContextTable();

  /**
   * @param liveThreads how many threads there are, as far as that is known: if there are many, the
   *     limit allows for two names of each, since a new generation would need as much again
   */
  boolean isFull(StoreLimits limits, int liveThreads) {
    return trie.count() >= limits.nodes()
        || methods.count() >= limits.methods()
        || modules.count() >= limits.modules()
        || threads.count() >= Math.max(limits.threads(), 2 * liveThreads)
        || contexts.isFull();
  }

  /**
   * Forgets everything; ids continue.
   *
   * @param goesOn whether as many stacks follow: then the memory is kept, because garbage this old
   *     stays on the application's heap until a full collection
   */
  void clear(boolean goesOn) {
    if (goesOn) {
      trie.empty();
    } else {
      trie.clear();
    }
    methods.clear();
    modules.clear();
    threads.clear();
    contexts.clear();
  }
}
