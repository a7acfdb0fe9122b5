package stackweave.jfr.store;

/** The definitions of one generation of a store, each with the last chunk that has it. */
final class StackTables {
  /** So many characters of methods' names count as much as a method. */
  private static final int CHARACTERS = 256;

  final StackTrie trie = new StackTrie(1);
  final InternedDefinitions<MethodDefinition> methods = new InternedDefinitions<>();
  final InternedDefinitions<ModuleDefinition> modules = new InternedDefinitions<>();
  final ThreadTable threads = new ThreadTable();
  final ContextTable contexts = new ContextTable();

  private long characters;

  /** The id of a method. */
  long method(MethodDefinition method) {
    int known = methods.count();
    long id = methods.intern(method);
    if (methods.count() > known) {
      characters +=
          method.className().length() + method.name().length() + method.descriptor().length();
    }
    return id;
  }

  /**
   * @param liveThreads how many threads there are, as far as that is known: if there are many, the
   *     limit allows for two names of each, since a new generation would need as much again
   */
  boolean isFull(StoreLimits limits, int liveThreads) {
    return trie.count() >= limits.nodes()
        || methods.count() + characters / CHARACTERS >= limits.methods()
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
    characters = 0;
    modules.clear();
    threads.clear();
    contexts.clear();
  }
}
