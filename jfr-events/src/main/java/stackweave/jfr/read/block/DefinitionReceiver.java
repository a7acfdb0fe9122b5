package stackweave.jfr.read.block;

/** Receives the definitions of a recording; ids are those of one session. Texts are never null. */
public interface DefinitionReceiver {
  /**
   * A frame under its caller.
   *
   * @param parentId the caller's frame, 0 for none
   * @param line source line, 0 where unknown
   * @param offset bytecode index, or bytes from the function's start
   * @param found how it was found, by the session's legend; 0 for unwind tables, as most are
   */
  void frame(long id, long parentId, long methodId, int kind, int line, long offset, int found);

  /**
   * A Java method, a native function, or a stub of the VM; texts that it has not are empty.
   *
   * @param libraryId the library that holds the symbol, 0 for none
   * @param start where the symbol begins in its library's own addresses
   */
  void method(
      long id,
      long libraryId,
      String className,
      String name,
      String descriptor,
      int modifiers,
      String sourceFile,
      long start);

  /** A mapped file with native code. */
  void library(
      long id,
      String path,
      String buildId,
      long start,
      long end,
      String unwindSource,
      String unwindReason,
      long functions,
      String symbolsFrom);

  /** A sampled thread. */
  void thread(long key, long osThreadId, String name, long javaId, boolean virtual, long carrierId);

  /** What samples have in common that name this id. */
  void attributes(long id, int state, int end, long contextId, long ageNanos);
}
