package stackweave.jfr.read;

/**
 * A Java method, a native function, or code that the VM generated. Each is one object in a {@link
 * SampledRecording}, so identity can be compared. Texts are empty if unknown.
 *
 * @param module the library of a function; null for Java methods and stubs, and if the recording
 *     has none
 * @param className binary name with dots; empty for functions and stubs
 * @param name the method's name, or the symbol's, demangled; see docs/events.md for functions
 *     without a symbol
 * @param descriptor descriptor of a Java method, as in the class file
 * @param modifiers access flags of a Java method, as in the class file
 * @param sourceFile source file of a Java method
 * @param start start of a function, in its module's own addresses
 */
public record SampledMethod(
    SampledModule module,
    String className,
    String name,
    String descriptor,
    int modifiers,
    String sourceFile,
    long start) {}
