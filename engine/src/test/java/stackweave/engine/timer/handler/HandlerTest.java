package stackweave.engine.timer.handler;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import stackweave.testing.Commands;

/** The signal handlers that the agent carries are those of the sources. */
class HandlerTest extends HandlerSources {
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
}
