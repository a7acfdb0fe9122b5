package stackweave.hotspot.code;

import java.util.regex.Pattern;

/**
 * The kinds of code blobs, as far as their frames are left in different ways. Derived from the
 * blob's name: HotSpot's own kind numbers changed from JDK to JDK, the names hardly did.
 */
public enum BlobKind {
  /** A compiled Java method. */
  NMETHOD,
  /** The compiled wrapper of a native method, or a method handle intrinsic. */
  NATIVE_NMETHOD,
  /** The template interpreter, all of it. */
  INTERPRETER,
  /**
   * Call stub, array copies, intrinsics, continuation stubs, fast JNI field access: some called by
   * native code.
   */
  STUB_ROUTINES,
  /** Between the interpreter's and compiled code's calling convention. */
  ADAPTER,
  /** Interpreter entries of method handle linkers. */
  METHOD_HANDLES,
  /** Virtual and interface dispatch. */
  VTABLE,
  /** Replaces a compiled frame by interpreted ones. */
  DEOPTIMIZATION,
  /** C2's way from a throw to its handler. */
  EXCEPTION,
  /** From native code into Java through the foreign function interface. */
  UPCALL,
  /** C1's and C2's calls into the VM, safepoint polls, call resolution, foreign calls. */
  RUNTIME;

  private static final Pattern STUB_NAMES =
      Pattern.compile("StubRoutines|jni_fast_|flush_icache|VM_Version|getCPU|.*\\(stub gen\\)$");

  /** How the name of adapters ends: "I2C/C2I adapters" up to 24, "adapters" since. */
  static final String ADAPTERS = "adapters";

  /** An adapter that JDK 25 and later took from an AOT cache: the types of its arguments. */
  private static final Pattern SIGNATURE = Pattern.compile("[BCDFIJLSVZ]*");

  /** Suffix of the names of blobs from an AOT cache, since JDK 27. */
  private static final String SHARED = " (shared runtime)";

  private static final String C2 = " (C2 runtime)";

  static BlobKind ofName(String name) {
    if (name.equals("nmethod")) {
      return NMETHOD;
    }
    if (name.equals("native nmethod")) {
      return NATIVE_NMETHOD;
    }
    if (name.equals("Interpreter")) {
      return INTERPRETER;
    }
    if (STUB_NAMES.matcher(name).lookingAt()) {
      return STUB_ROUTINES;
    }
    if (name.startsWith("MethodHandles")) {
      return METHOD_HANDLES;
    }
    if (name.startsWith("vtable")) {
      return VTABLE;
    }
    if (name.equals("DeoptimizationBlob")
        || name.equals("UncommonTrapBlob")
        || name.equals("deopt_blob" + SHARED)
        || name.equals("uncommon_trap_blob" + C2)) {
      return DEOPTIMIZATION;
    }
    if (name.equals("ExceptionBlob") || name.equals("exception_blob" + C2)) {
      return EXCEPTION;
    }
    if (name.startsWith("upcall_stub")) {
      return UPCALL;
    }
    return name.endsWith(ADAPTERS) || SIGNATURE.matcher(name).matches() ? ADAPTER : RUNTIME;
  }
}
