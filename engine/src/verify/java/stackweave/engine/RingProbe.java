package stackweave.engine;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.engine.choice.EngineChoice;
import stackweave.engine.choice.EngineChooser;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.NativeBuffer;

/**
 * An application for {@link EngineJvm}: starts the timer engine with so much address space left and
 * no more, in MiB, and says which ring it got.
 */
public final class RingProbe {
  private static final int RLIMIT_AS = 9;
  private static final long PAGE = 4096;

  private RingProbe() {}

  public static void main(String[] args) throws Exception {
    EngineConfig config =
        new EngineConfig(1_000_000, EngineConfig.MAX_STACK_BYTES, EngineKind.TIMER);
    // Once without a limit, for all classes and what the engine keeps.
    Recorder.record(config, () -> Thread.sleep(10));
    Function setrlimit = NativeLibrary.getProcess().getFunction("setrlimit");
    long left = Long.parseLong(args[0]) << 20;
    Thread drain =
        new Thread(
            () -> {
              try (NativeBuffer limit = NativeBuffer.allocate(16)) {
                String pages = Files.readString(Path.of("/proc/self/statm")).split(" ")[0];
                limit.bytes().putLong(0, Long.parseLong(pages) * PAGE + left);
                limit.bytes().putLong(8, -1);
                setrlimit.invokeInt(new Object[] {RLIMIT_AS, limit.address()});
                EngineChoice choice = EngineChooser.start(config);
                limit.bytes().putLong(0, -1);
                setrlimit.invokeInt(new Object[] {RLIMIT_AS, limit.address()});
                for (EngineRefusal refusal : choice.refusals()) {
                  System.out.println("refusal: " + refusal.reason() + " " + refusal.line());
                }
                if (choice.engine().isPresent()) {
                  try (SampleEngine engine = choice.engine().get()) {
                    System.out.println("engine: " + engine.description().kind());
                    System.out.println(
                        "ring: " + (engine.statistics().get(EngineFigure.RING_BYTES) >> 20));
                  }
                }
              } catch (Exception e) {
                System.out.println("failure: " + e);
              }
            });
    drain.start();
    drain.join();
    System.out.println("application: done");
  }
}
