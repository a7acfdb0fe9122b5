package stackweave.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;

/** The numbers of each processor are those of the C library's headers for it. */
class KernelNumbersTest {

  @ParameterizedTest
  @CsvSource({"x86_64, x86_64-linux-gnu-gcc", "aarch64, aarch64-linux-gnu-gcc"})
  void systemCallsAreThoseOfTheHeaders(String processor, String compiler) throws Exception {
    Map<String, Long> headers = macros(compiler, "#include <sys/syscall.h>\n");
    for (SystemCall call : SystemCall.values()) {
      long ours = processor.equals("x86_64") ? call.x86 : call.aarch64;
      assertEquals(
          headers.getOrDefault("__NR_" + call.name().toLowerCase(), -1L), ours, call::name);
    }
  }

  @ParameterizedTest
  @CsvSource({"x86_64, x86_64-linux-gnu-gcc", "aarch64, aarch64-linux-gnu-gcc"})
  void filesAreAsTheHeadersHaveThem(String processor, String compiler) throws Exception {
    Map<String, Long> headers = macros(compiler, "#define _GNU_SOURCE\n#include <fcntl.h>\n");
    boolean isX86 = processor.equals("x86_64");
    assertEquals(
        headers.get("__O_DIRECTORY"),
        isX86 ? FileInterface.X86_64_O_DIRECTORY : FileInterface.AARCH64_O_DIRECTORY);
    assertEquals(
        headers.get("__O_NOFOLLOW"),
        isX86 ? FileInterface.X86_64_O_NOFOLLOW : FileInterface.AARCH64_O_NOFOLLOW);
  }

  /** Macros with a number as value, or the name of one. */
  private static Map<String, Long> macros(String compiler, String source) throws Exception {
    Map<String, String> texts = new TreeMap<>();
    for (String line : compile(compiler, source, "-E", "-dM").split("\n")) {
      String[] words = line.strip().split("\\s+");
      if (words.length == 3 && words[0].equals("#define")) {
        texts.put(words[1], words[2]);
      }
    }
    Map<String, Long> found = new TreeMap<>();
    texts.forEach(
        (name, text) -> {
          String number = texts.getOrDefault(text, text);
          if (number.matches("0?[0-9]{1,9}")) {
            found.put(name, Long.decode(number));
          }
        });
    return found;
  }

  private static String compile(String compiler, String source, String... options)
      throws IOException, InterruptedException {
    assumeTrue(Commands.exist(compiler), compiler + " is not installed");
    return Gcc.print(compiler, source, options);
  }
}
