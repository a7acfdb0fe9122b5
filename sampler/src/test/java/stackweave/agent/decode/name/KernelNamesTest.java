package stackweave.agent.decode.name;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.maps.kernel.KernelSymbols;
import stackweave.unwind.TableMemory;

/** Names of what comes and goes in the kernel. */
class KernelNamesTest {
  private static final String OWN =
      """
      ffffffff81000000 T _stext
      ffffffff81000040 t do_syscall_64
      ffffffff82206448 T _etext
      """;

  private static final long IN_OWN = 0xffffffff81000050L;
  private static final long IN_MODULE = 0xffffffffc0001010L;
  private static final long OTHER = 0xffffffffc0800000L;

  @TempDir private Path directory;
  private long now = 1;
  private KernelNames names;

  @BeforeEach
  void open() throws IOException {
    write(OWN, "");
    names =
        new KernelNames(
            directory.resolve("kallsyms"),
            directory.resolve("modules"),
            () -> now,
            TableMemory.HEAP);
  }

  private void write(String symbols, String modules) throws IOException {
    Files.writeString(directory.resolve("kallsyms"), symbols);
    Files.writeString(directory.resolve("modules"), modules);
  }

  private String name(long address) {
    KernelSymbols symbols = names.symbolsFor(address);
    int found = symbols.find(address);
    return found == KernelSymbols.NONE ? "" : symbols.name(found);
  }

  @Test
  void aModuleThatIsLoadedLaterGetsItsNames() throws IOException {
    assertEquals("", name(IN_MODULE));
    write(OWN + "ffffffffc0001000 t later\t[late]\n", "late 4096 0 - Live 0xffffffffc0001000\n");
    now += KernelNames.REREAD_NANOS;
    assertEquals("later", name(IN_MODULE));
    assertEquals("do_syscall_64", name(IN_OWN));
  }

  /** Where a module was, another may be: no name before all is read again, and that may wait. */
  @Test
  void whatWasUnloadedHasNoNameAnyMore() throws IOException {
    write(OWN + "ffffffffc0001000 t old\t[one]\n", "one 4096 0 - Live 0xffffffffc0001000\n");
    assertEquals("old", name(IN_MODULE));
    int generation = names.generation();
    write(OWN + "ffffffffc0001000 t new\t[two]\n", "two 4096 0 - Live 0xffffffffc0001000\n");
    now += KernelNames.LOOK_NANOS;
    assertEquals("", name(IN_MODULE));
    assertEquals("do_syscall_64", name(IN_OWN));
    now += KernelNames.REREAD_NANOS;
    assertEquals("new", name(IN_MODULE));
    assertNotEquals(generation, names.generation());
  }

  /** A seccomp filter's program is in no list: it must not have the symbols read for ever. */
  @Test
  void unknownAddressesAloneHaveNothingReadAgain() {
    name(OTHER);
    int generation = names.generation();
    for (int i = 0; i < 1_000; i++) {
      now += KernelNames.LOOK_NANOS / 10;
      name(OTHER);
    }
    assertEquals(generation, names.generation());
  }
}
