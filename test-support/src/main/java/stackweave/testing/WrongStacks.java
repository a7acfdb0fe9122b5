package stackweave.testing;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs a test that has failed up to {@value #RUNS} times more, while every different stack gets a
 * replay file, until it fails again: these files are left beside the reports, in {@code
 * target/wrong-stacks}, with what the test said. The test has failed whatever comes of that. A
 * stack that goes wrong once in a thousand runs is not caught so; recording a stack takes tens of
 * milliseconds, too long to do it with each in every run. Not for tests that use JVMs on other
 * threads.
 */
public final class WrongStacks implements InvocationInterceptor {
  private static final int RUNS = 3;
  private static final Path KEPT = Path.of("target/wrong-stacks").toAbsolutePath();

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    intercept(invocation, method, context);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    intercept(invocation, method, context);
  }

  private static void intercept(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    try {
      invocation.proceed();
    } catch (AssertionError e) {
      keep(method, context);
      throw e;
    }
  }

  private static void keep(ReflectiveInvocationContext<Method> method, ExtensionContext context)
      throws IOException, IllegalAccessException {
    String name =
        context.getRequiredTestClass().getSimpleName() + "." + method.getExecutable().getName();
    Path directory = Files.createTempDirectory(Files.createDirectories(KEPT), name + "-");
    ForkedJvm.keepStacks(directory);
    method.getExecutable().setAccessible(true);
    try {
      for (int i = 0; i < RUNS; i++) {
        method
            .getExecutable()
            .invoke(context.getRequiredTestInstance(), method.getArguments().toArray());
      }
      System.out.println(name + " has failed, and not again in " + RUNS + " runs");
    } catch (InvocationTargetException e) {
      Files.writeString(directory.resolve("failure.txt"), e.getCause() + "\n");
      System.out.println(name + " has failed again; its stacks, by stackId, are in " + directory);
    } finally {
      ForkedJvm.keepStacks(null);
    }
  }
}
