package stackweave.jfr.read;

import java.io.IOException;

/**
 * Takes what events define into a session's data. What else they say is for the classes that extend
 * this. Not thread-safe.
 */
abstract class DefinitionSink implements EventSink {
  /** The session that the events that come belong to. */
  abstract SessionData current();

  /** A block of definitions can't be read: what it defined is missing, and said so where needed. */
  abstract void badBlock();

  @Override
  public void block(long block, int piece, int pieces, int size, long[] words) {
    SessionData session = current();
    try {
      session.blocks.add(block, piece, pieces, size, words, session);
    } catch (IOException e) {
      badBlock();
    }
  }

  @Override
  public void frame(long id, long parentId, long methodId, int kind, int line, long offset) {
    current().frame(id, parentId, methodId, kind, line, offset);
  }

  @Override
  public void found(long id, int found) {
    current().found(id, found);
  }

  @Override
  public boolean hasMethod(long id) {
    return current().hasMethod(id);
  }

  @Override
  public void method(
      long id,
      long moduleId,
      String className,
      String name,
      String descriptor,
      int modifiers,
      String sourceFile,
      long start) {
    current().method(id, moduleId, className, name, descriptor, modifiers, sourceFile, start);
  }

  @Override
  public void module(long id, SampledModule module) {
    current().module(id, module);
  }

  @Override
  public void thread(long key, StackThread thread) {
    current().thread(key, thread);
  }

  @Override
  public void context(long id, String traceId, String spanId, String labels) {
    current().context(id, traceId, spanId, labels);
  }
}
