package stackweave.jfr.read.block;

import java.util.ArrayList;
import java.util.List;

/** The ids of the libraries that blocks define, in their order. */
public final class LibraryIds implements DefinitionReceiver {
  private final List<Long> ids = new ArrayList<>();

  /** Those until now. */
  public List<Long> ids() {
    return ids;
  }

  @Override
  public void library(
      long id,
      String path,
      String buildId,
      long start,
      long end,
      String unwindSource,
      String unwindReason,
      long functions,
      String symbolsFrom) {
    ids.add(id);
  }

  @Override
  public void frame(
      long id, long parentId, long methodId, int kind, int line, long offset, int found) {}

  @Override
  public void method(
      long id,
      long libraryId,
      String className,
      String name,
      String descriptor,
      int modifiers,
      String sourceFile,
      long start) {}

  @Override
  public void thread(
      long key, long osThreadId, String name, long javaId, boolean virtual, long carrierId) {}

  @Override
  public void attributes(long id, int state, int end, long contextId, long ageNanos) {}
}
