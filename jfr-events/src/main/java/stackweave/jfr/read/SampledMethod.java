package stackweave.jfr.read;

/**
 * A Java method, a native function, or code that the VM generated. Of each there is one object in a
 * {@link SampledRecording}, so they can be told apart by identity. Texts are empty where unknown.
 *
 * @param module the library that holds a function; null for Java methods and stubs, and where the
 *     recording has none
 * @param className binary name with dots; empty for functions and stubs
 * @param name the method's name, or the symbol's, demangled; see docs/events.md for functions
 *     without a symbol
 * @param descriptor descriptor of a Java method, as in the class file
 * @param modifiers access flags of a Java method, as in the class file
 * @param sourceFile source file of a Java method
 * @param start where a function begins, in its module's own addresses
 */
public record SampledMethod(
    SampledModule module,
    String className,
    String name,
    String descriptor,
    int modifiers,
    String sourceFile,
    long start) {}
