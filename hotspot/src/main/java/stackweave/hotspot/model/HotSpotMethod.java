package stackweave.hotspot.model;

/**
 * What a frame that HotSpot knows is called.
 *
 * @param className binary name with dots ({@code java.lang.Object}); empty for a stub
 * @param name method name, or the name of the stub
 * @param descriptor JVM descriptor; empty for a stub
 * @param modifiers access flags of the method as in the class file; 0 for a stub
 * @param sourceFile the class's SourceFile attribute; empty where there is none
 */
public record HotSpotMethod(
    String className, String name, String descriptor, int modifiers, String sourceFile) {

  /** Whether this names generated code of the VM rather than a Java method. */
  public boolean isStub() {
    return className.isEmpty();
  }
}
