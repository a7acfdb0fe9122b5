package stackweave.jfr.store;

/**
 * The definition of a frame's method. Unknown texts are empty. Immutable.
 *
 * @param moduleId the module of a symbol, from {@link EventStore#module}; 0 for none
 * @param className binary name with dots; empty for symbols and stubs
 * @param name name of the method, symbol or stub
 * @param descriptor JVM descriptor of a Java method
 * @param modifiers access flags of a Java method
 * @param sourceFile source file of a Java method
 * @param start start of a symbol, in its module's own addresses
 */
public record MethodDefinition(
    long moduleId,
    String className,
    String name,
    String descriptor,
    int modifiers,
    String sourceFile,
    long start) {

  /** A Java method. */
  public static MethodDefinition java(
      String className, String name, String descriptor, int modifiers, String sourceFile) {
    return new MethodDefinition(0, className, name, descriptor, modifiers, sourceFile, 0);
  }

  /** A native or kernel function; {@code moduleId} 0 where no module is known. */
  public static MethodDefinition symbol(long moduleId, String name, long start) {
    return new MethodDefinition(moduleId, "", name, "", 0, "", start);
  }

  /** Code that the VM generated for itself. */
  public static MethodDefinition stub(String name) {
    return new MethodDefinition(0, "", name, "", 0, "", 0);
  }

  /** Written out: a record's own is linked at run time, and slow while it is interpreted. */
  @Override
  public int hashCode() {
    int names = (className.hashCode() * 31 + name.hashCode()) * 31 + descriptor.hashCode();
    return (names * 31 + Long.hashCode(start)) * 31 + Long.hashCode(moduleId);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MethodDefinition method
        && start == method.start
        && moduleId == method.moduleId
        && modifiers == method.modifiers
        && name.equals(method.name)
        && descriptor.equals(method.descriptor)
        && className.equals(method.className)
        && sourceFile.equals(method.sourceFile);
  }
}
