package stackweave.jfr.store;

import stackweave.jfr.event.Context;
import stackweave.jfr.event.InlineText;
import stackweave.jfr.store.output.EventOutput;

/** The contexts of samples, each with the last chunk that has its event. Not thread-safe. */
final class ContextTable {
  /** Either limit lets a new generation begin, as those of {@link StoreLimits} do. */
  private static final int MAX_CONTEXTS = 32_768;

  private static final long MAX_CHARACTERS = 4 << 20;

  private final InternedDefinitions<ContextDefinition> contexts = new InternedDefinitions<>();
  private long characters;

  long intern(ContextDefinition context) {
    int before = contexts.count();
    long id = contexts.intern(context);
    if (contexts.count() > before) {
      characters += context.characters();
    }
    return id;
  }

  boolean isFull() {
    return contexts.count() >= MAX_CONTEXTS || characters >= MAX_CHARACTERS;
  }

  /** Commits the event of a context, unless the chunk has it. Id 0 has none. */
  void emit(long id, int chunk, EventOutput output) {
    int index = id == 0 ? -1 : contexts.indexOf(id);
    if (index < 0 || !contexts.claim(index, chunk)) {
      return;
    }
    ContextDefinition context = contexts.at(index);
    Context event = new Context();
    event.contextId = id;
    event.traceId = InlineText.of(context.traceId());
    event.spanId = InlineText.of(context.spanId());
    event.labels = InlineText.of(context.labels());
    output.commit(event);
  }

  /** Forgets all contexts; ids continue. */
  void clear() {
    contexts.clear();
    characters = 0;
  }
}
