package stackweave.hotspot.model;

/**
 * The name of a frame that HotSpot knows: of a Java method or a stub.
 *
 * @param className binary name with dots ({@code java.lang.Object}); empty for a stub
 * @param name method name, or the name of the stub
 * @param descriptor JVM descriptor; empty for a stub
 * @param modifiers access flags of the method as in the class file; 0 for a stub
 * @param sourceFile the class's SourceFile attribute; empty where there is none
 */
public record HotSpotMethod(
    String className, String name, String descriptor, int modifiers, String sourceFile) {

  /** Written out: a record's own is linked at run time, and is slow while it is interpreted. */
  @Override
  public int hashCode() {
    return (className.hashCode() * 31 + name.hashCode()) * 31 + descriptor.hashCode();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HotSpotMethod method
        && name.equals(method.name)
        && descriptor.equals(method.descriptor)
        && className.equals(method.className)
        && modifiers == method.modifiers
        && sourceFile.equals(method.sourceFile);
  }

  /** Whether this names generated code of the VM rather than a Java method. */
  public boolean isStub() {
    return className.isEmpty();
  }
}
