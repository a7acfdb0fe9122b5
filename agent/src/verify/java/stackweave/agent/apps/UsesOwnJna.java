package stackweave.agent.apps;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

/** Calls getpid through the JNA on its own class or module path, whatever its version. */
public final class UsesOwnJna {

  private UsesOwnJna() {}

  public static void main(String[] arguments) throws Exception {
    Class<?> function = Class.forName("com.sun.jna.Function");
    Method find = function.getMethod("getFunction", String.class, String.class);
    Object getpid = find.invoke(null, "c", "getpid");
    Method invoke = function.getMethod("invokeInt", Object[].class);
    int pid = (Integer) invoke.invoke(getpid, (Object) new Object[0]);
    System.out.println(pid == ProcessHandle.current().pid());
    Field version = Class.forName("com.sun.jna.Native").getField("VERSION_NATIVE");
    version.setAccessible(true);
    System.out.println(version.get(null));
    System.out.println(function.getModule().isNamed());
  }
}
