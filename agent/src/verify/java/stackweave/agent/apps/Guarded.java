package stackweave.agent.apps;

import java.io.FilePermission;
import java.io.IOException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.Permission;
import java.security.Policy;
import java.security.ProtectionDomain;
import java.util.PropertyPermission;
import jdk.jfr.FlightRecorderPermission;
import jdk.jfr.Recording;

/**
 * Under a security manager that lets it do little, records itself into the file that it is told;
 * with a second argument it sets the security manager itself, which trusts only the JDK.
 */
@SuppressWarnings("removal") // what JDK 17 to 23 still have
public final class Guarded {

  private Guarded() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length > 1) {
      Policy.setPolicy(new OnlyTheJdk());
      System.setSecurityManager(new SecurityManager());
    }
    try {
      System.out.println(System.getProperty("user.home"));
    } catch (SecurityException e) {
      System.out.println("denied");
    }
    Works.start();
    try (Recording recording = new Recording()) {
      recording.setName("own");
      recording.enable("stackweave.NativeSample").with("interval", "2 ms");
      recording.start();
      System.out.println("ready");
      while (System.in.read() >= 0) {
        // until it is closed
      }
      recording.stop();
      recording.dump(Path.of(arguments[0]));
    }
    System.out.println("done");
  }

  private static final class OnlyTheJdk extends Policy {
    // Asked for before there is somebody to ask whether one may.
    private final ClassLoader system = ClassLoader.getSystemClassLoader();
    private final CodeSource own = Guarded.class.getProtectionDomain().getCodeSource();

    @Override
    public boolean implies(ProtectionDomain domain, Permission permission) {
      return domain.getClassLoader() != system
          || (own.equals(domain.getCodeSource())
              && (permission instanceof FlightRecorderPermission
                  || permission instanceof FilePermission
                  || permission instanceof PropertyPermission
                      && permission.getName().equals("user.dir")));
    }
  }
}
