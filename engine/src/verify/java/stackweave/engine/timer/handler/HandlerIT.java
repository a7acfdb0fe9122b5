package stackweave.engine.timer.handler;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;

/** The signal handlers that the agent carries do what they should. */
class HandlerIT extends HandlerSources {
  /** Without a JVM: as it is on this processor, and for another one under an emulator. */
  @ParameterizedTest
  @EnumSource
  void handlerHoldsItsLaws(HandlerLayout layout) throws Exception {
    StringBuilder header = new StringBuilder();
    symbols(layout)
        .forEach(
            (name, value) -> {
              if (!name.equals("SI_TIMER") && !name.equals("CLOCK_MONOTONIC")) {
                header.append("#define ").append(name).append(' ').append(value).append('\n');
              }
            });
    Path constants = Files.writeString(directory.resolve("layout.h"), header);
    Path code = Files.write(directory.resolve("handler.bin"), HandlerCode.read(layout));
    Path harness =
        Gcc.compile(
            tool(layout, "gcc"),
            directory,
            "handler_harness.c",
            "harness",
            "-pthread",
            "-static",
            "-include",
            constants.toString(),
            // One of four threads under qemu had 0.934 on a busy machine; why is not known.
            "-DLEAST_SHARE=" + (isNative(layout) ? 0.95 : 0.8));
    List<String> command = new ArrayList<>();
    if (!isNative(layout)) {
      command.add(available("qemu-" + layout.label(), "qemu-user"));
    }
    command.addAll(List.of(harness.toString(), code.toString()));
    String output = Commands.output(command);
    System.out.printf("%s:%n%s", layout.label(), output.indent(2));
    assertTrue(output.endsWith("all held\n"), output);
  }
}
