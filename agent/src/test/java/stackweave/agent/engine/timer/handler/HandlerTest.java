package stackweave.agent.engine.timer.handler;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;

/** The signal handlers that the agent carries are those of the sources, and do what they should. */
class HandlerTest {
  private static final Path SOURCES = Path.of("src/main/asm").toAbsolutePath();

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void codeIsThatOfTheSource(HandlerLayout layout) throws Exception {
    Path object = assemble(layout);
    Path code = directory.resolve("code");
    Commands.output(
        List.of(
            tool(layout, "objcopy"),
            "-O",
            "binary",
            "-j",
            ".text",
            object.toString(),
            code.toString()));
    assertArrayEquals(
        Files.readAllBytes(code), HandlerCode.read(layout), "run src/main/asm/build anew");
  }

  /** Every number that Java and the sources have under the same name is the same. */
  @ParameterizedTest
  @EnumSource
  void layoutIsThatOfTheSource(HandlerLayout layout) throws Exception {
    Map<String, Long> symbols = symbols(layout);
    int compared = 0;
    for (Field field : HandlerLayout.class.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == int.class) {
        assertEquals(symbols.get(field.getName()), field.getInt(null), field.getName());
        compared++;
      }
    }
    assertTrue(compared > 25, "compared " + compared);
    assertEquals(symbols.get("REGISTERS"), layout.registers());
    assertEquals(symbols.get("RECORD_STACK"), layout.recordStack());
  }

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
            constants.toString());
    List<String> command = new ArrayList<>();
    if (!isNative(layout)) {
      command.add(available("qemu-" + layout.label(), "qemu-user"));
    }
    command.addAll(List.of(harness.toString(), code.toString()));
    String output = Commands.output(command);
    System.out.printf("%s:%n%s", layout.label(), output.indent(2));
    assertTrue(output.endsWith("all held\n"), output);
  }

  private Path assemble(HandlerLayout layout) throws Exception {
    Path object = directory.resolve("handler.o");
    Commands.output(
        List.of(
            tool(layout, "as"),
            "-I",
            SOURCES.toString(),
            "-o",
            object.toString(),
            SOURCES.resolve("handler-" + layout.label() + ".S").toString()));
    return object;
  }

  private Map<String, Long> symbols(HandlerLayout layout) throws Exception {
    Map<String, Long> symbols = new TreeMap<>();
    String listing = Commands.output(List.of(tool(layout, "nm"), assemble(layout).toString()));
    for (String line : listing.lines().toList()) {
      String[] parts = line.split(" ");
      if (parts[1].equals("a")) {
        symbols.put(parts[2], Long.parseUnsignedLong(parts[0], 16));
      }
    }
    return symbols;
  }

  private static boolean isNative(HandlerLayout layout) {
    return layout.label().equals(System.getProperty("os.arch").replace("amd64", "x86_64"));
  }

  /** The machine's own binutils and gcc, or those for the other processor. */
  private static String tool(HandlerLayout layout, String name) {
    if (isNative(layout)) {
      return name;
    }
    String tool = layout.label() + "-linux-gnu-" + name;
    String label = layout.label().replace('_', '-');
    return available(
        tool,
        name.equals("gcc") ? "gcc-" + label + "-linux-gnu" : "binutils-" + label + "-linux-gnu");
  }

  private static String available(String tool, String debianPackage) {
    assumeTrue(Commands.exist(tool), () -> tool + " is missing:  apt-get install " + debianPackage);
    return tool;
  }
}
