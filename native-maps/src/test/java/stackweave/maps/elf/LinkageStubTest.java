package stackweave.maps.elf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;

/** Names of stubs against objdump's. */
class LinkageStubTest {
  private static final Pattern STUB = Pattern.compile("(?m)^(\\p{XDigit}+) <([^>]+)@plt>:");

  private static final String SOURCE =
      """
      #include <stdlib.h>
      #include <string.h>
      void *copy(const char *text) { return strcpy(malloc(strlen(text) + 1), text); }
      void *pointer(void) { return (void *)free; }
      void release(void *p) { free(p); }
      """;

  @TempDir Path directory;

  @Test
  void areThoseOfObjdump() throws Exception {
    compare(Gcc.library(directory, "plain", SOURCE, "-fno-builtin"), 3);
    compare(Gcc.library(directory, "tracked", SOURCE, "-fno-builtin", "-fcf-protection=full"), 3);
    compare(
        Gcc.library(
            directory, "lazy", SOURCE, "-fno-builtin", "-fcf-protection=full", "-Wl,-z,ibtplt"),
        3);
    compare(Path.of(System.getProperty("java.home"), "lib/libjava.so"), 100);
  }

  private static void compare(Path library, int atLeast) throws Exception {
    compare("objdump", library, atLeast);
  }

  private static void compare(String objdump, Path library, int atLeast) throws Exception {
    FileElfImage image = FileElfImage.open(library);
    List<IndirectFunctions.Slot> chosen = image.indirectFunctions();
    String listing =
        Commands.output(objdump, "-d", "-j", ".plt", "-j", ".plt.got", "-j", ".plt.sec", library);
    Matcher stub = STUB.matcher(listing);
    int stubs = 0;
    while (stub.find()) {
      long start = Long.parseLong(stub.group(1), 16);
      for (long address : List.of(start, start + 4)) {
        LinkageStub found = image.linkageStubAt(address, () -> chosen);
        String at = library + " " + Long.toHexString(address);
        assertNotNull(found, at);
        assertEquals(stub.group(2), found.name(), at);
        assertEquals(start, found.start(), at);
      }
      stubs++;
    }
    assertTrue(stubs >= atLeast, library + ": " + stubs);
    for (ElfHeaders.SectionHeader section : image.headers.sections()) {
      if (section.name().equals(".plt")) {
        assertNull(
            image.linkageStubAt(section.address(), () -> chosen), "the code that all stubs share");
      } else if (section.name().equals(".text")) {
        assertNull(image.linkageStubAt(section.address(), () -> chosen));
      }
    }
  }

  @Test
  void functionsThatTheLoaderChoosesHaveTheirName() throws Exception {
    Path libc = Path.of("/lib/x86_64-linux-gnu/libc.so.6");
    if (!Files.exists(libc)) {
      return;
    }
    FileElfImage image = FileElfImage.open(libc);
    List<IndirectFunctions.Slot> chosen = image.indirectFunctions();
    long found = 0;
    for (ElfHeaders.SectionHeader section : image.headers.sections()) {
      for (long at = 0; section.name().equals(".plt") && at < section.size(); at += 16) {
        LinkageStub stub = image.linkageStubAt(section.address() + at, () -> chosen);
        found += stub != null && stub.name().equals("memcpy") ? 1 : 0;
      }
    }
    assertEquals(1, found);
  }

  /** With and without {@code bti}, as GNU ld writes them. */
  @Test
  void stubsOfAarch64AreThoseOfObjdump() throws Exception {
    String gcc = "aarch64-linux-gnu-gcc";
    assumeTrue(Commands.exist(gcc), "no compiler for AArch64");
    Path source = Files.writeString(directory.resolve("other.c"), SOURCE);
    for (String linking : List.of("-Wl,-z,nobti", "-Wl,-z,force-bti")) {
      Path library = directory.resolve("libother.so");
      Commands.output(
          gcc, "-shared", "-fPIC", "-O1", "-fno-builtin", linking, "-o", library, source);
      compare("aarch64-linux-gnu-objdump", library, 3);
    }
  }
}
