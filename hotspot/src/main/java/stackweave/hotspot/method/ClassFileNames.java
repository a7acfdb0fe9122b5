package stackweave.hotspot.method;

/**
 * Checks and converts names as class files have them (JVMS 4.2, 4.3.3). The checks tell names from
 * memory that was reused: they refuse what no class file may have, and nothing else. Stateless.
 */
final class ClassFileNames {
  /** Begins what the VM puts behind a hidden class's name; all digits of the address follow. */
  private static final String ADDRESS = "+0x";

  private ClassFileNames() {}

  /**
   * @param name null for what is no text
   */
  static boolean isMethodName(String name) {
    if (name == null || name.isEmpty()) {
      return false;
    }
    if (name.equals("<init>") || name.equals("<clinit>")) {
      return true;
    }
    return isFreeOf(name, ".;[/<>");
  }

  static boolean isClassName(String name) {
    return name != null && !name.isEmpty() && isFreeOf(name, ";[");
  }

  private static boolean isFreeOf(String name, String forbidden) {
    for (int i = 0; i < name.length(); i++) {
      if (forbidden.indexOf(name.charAt(i)) >= 0) {
        return false;
      }
    }
    return true;
  }

  static boolean isMethodDescriptor(String descriptor) {
    if (descriptor == null || !descriptor.startsWith("(")) {
      return false;
    }
    int i = 1;
    while (i < descriptor.length() && descriptor.charAt(i) != ')') {
      i = skipType(descriptor, i);
      if (i < 0) {
        return false;
      }
    }
    i++;
    return i < descriptor.length()
        && (descriptor.substring(i).equals("V") || skipType(descriptor, i) == descriptor.length());
  }

  /** The index behind the field type that begins at {@code i}, or -1 if none does. */
  private static int skipType(String descriptor, int i) {
    int at = i;
    while (at < descriptor.length() && descriptor.charAt(at) == '[') {
      at++;
    }
    if (at == descriptor.length()) {
      return -1;
    }
    char c = descriptor.charAt(at);
    if (c == 'L') {
      int end = descriptor.indexOf(';', at);
      return end > at + 1 && isFreeOf(descriptor.substring(at + 1, end), "[") ? end + 1 : -1;
    }
    return "BCDFIJSZ".indexOf(c) >= 0 ? at + 1 : -1;
  }

  /** Method handle intrinsics belong to a class without being in its list of methods. */
  static boolean isMadeByVm(String className, String method) {
    return className.equals("java/lang/invoke/MethodHandle") && isLinker(method);
  }

  /** Whether a method of that name of MethodHandle goes on in the method that it is given. */
  static boolean isLinker(String method) {
    return method.equals("invokeBasic") || method.startsWith("linkTo");
  }

  /** Whether code of a class calls such methods: only that of java.lang.invoke does. */
  static boolean isInvoker(String className) {
    return className.startsWith("java/lang/invoke/");
  }

  /**
   * The name as {@link Class#getName} has it: dots, and a slash before the address that the VM puts
   * behind a hidden class's name with a plus sign. Other classes may have that sign in their names.
   */
  static String javaClassName(String internalName) {
    String name = internalName.replace('/', '.');
    int plus = name.length() - ADDRESS.length() - Long.BYTES * 2;
    if (plus <= 0 || !name.startsWith(ADDRESS, plus)) {
      return name;
    }
    for (int i = plus + ADDRESS.length(); i < name.length(); i++) {
      if ("0123456789abcdef".indexOf(name.charAt(i)) < 0) {
        return name;
      }
    }
    return name.substring(0, plus) + '/' + name.substring(plus + 1);
  }
}
