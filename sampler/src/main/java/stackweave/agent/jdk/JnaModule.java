package stackweave.agent.jdk;

import java.lang.instrument.Instrumentation;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.Set;

/**
 * Makes JNA a named module of the agent's class loader and grants native access to it alone. In an
 * unnamed module its first System.load would print the JVM's warning about restricted methods (and
 * fail under {@code --illegal-native-access=deny}); access for all unnamed modules would also
 * suppress warnings for the application's own libraries. Called by the class loader only, from JDK
 * 24 on.
 */
public final class JnaModule {

  private static final String NAME = "com.sun.jna";

  private JnaModule() {}

  /**
   * Defines the module; called once, before JNA's first class is defined.
   *
   * @param loader that will define the classes of these packages
   * @param packages of JNA and of the classes that replace parts of it
   * @param instrumentation opens java.lang to this module
   */
  public static void define(
      ClassLoader loader, Set<String> packages, Instrumentation instrumentation)
      throws ReflectiveOperationException {
    // Not an automatic module: that would read every module, and conflict with a JNA on the
    // application's module path.
    ModuleDescriptor descriptor =
        ModuleDescriptor.newOpenModule(NAME).requires("java.base").packages(packages).build();
    Configuration configuration =
        ModuleLayer.boot()
            .configuration()
            .resolve(new OneModule(descriptor), ModuleFinder.of(), Set.of(NAME));
    Module module =
        ModuleLayer.boot()
            .defineModules(configuration, name -> loader)
            .findModule(NAME)
            .orElseThrow();
    grantNativeAccess(module, instrumentation);
  }

  private static void grantNativeAccess(Module module, Instrumentation instrumentation)
      throws ReflectiveOperationException {
    JavaBase.open(instrumentation, "java.lang");
    // The public method, ModuleLayer.Controller.enableNativeAccess (JDK 22), is itself restricted.
    Method grant = Module.class.getDeclaredMethod("implAddEnableNativeAccess");
    grant.setAccessible(true);
    grant.invoke(module);
  }

  /** Finds only this module; its classes come from the class loader. */
  private static final class OneModule extends ModuleReference implements ModuleFinder {

    OneModule(ModuleDescriptor descriptor) {
      super(descriptor, null);
    }

    @Override
    public Optional<ModuleReference> find(String name) {
      return name.equals(NAME) ? Optional.of(this) : Optional.empty();
    }

    @Override
    public Set<ModuleReference> findAll() {
      return Set.of(this);
    }

    @Override
    public ModuleReader open() {
      throw new UnsupportedOperationException(NAME + " is read by its class loader");
    }
  }
}
