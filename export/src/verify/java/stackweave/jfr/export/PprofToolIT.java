package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.jfr.Programs;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;

/** Profiles as {@code go tool pprof} reads them. */
@ResourceLock(Programs.OWN_JFR)
class PprofToolIT {
  @TempDir private Path directory;

  /** A function of a library whose recording has no symbols, by the address alone. */
  @Test
  void goToolPprofFindsTheFunctionOfAnAddress() throws Exception {
    assumeTrue(Commands.exist("addr2line") && Commands.exist("gcc"), "needs binutils and gcc");
    Path library =
        Gcc.library(
            directory,
            "burns",
            "int first(int a) { return a * 3 + 1; }\nint burns_here(int a) { return a / 7; }\n",
            "-g",
            "-Wl,--build-id");
    String symbol =
        Commands.output("nm", library)
            .lines()
            .filter(l -> l.endsWith(" burns_here"))
            .findAny()
            .get();
    long start = Long.parseLong(symbol.substring(0, symbol.indexOf(' ')), 16);
    Matcher id =
        Pattern.compile("Build ID: ([0-9a-f]+)").matcher(Commands.output("readelf", "-n", library));
    assertTrue(id.find());
    SampledRecording recording =
        ManyStacks.record(
            directory.resolve("library.jfr"),
            store -> {
              long module = ManyStacks.module(store, library.toString(), id.group(1));
              String name = "libburns.so+0x" + Long.toHexString(start);
              long method = store.method(MethodDefinition.symbol(module, name, start));
              long node = store.node(EventStore.ROOT, method, ManyStacks.NATIVE, -1, 3);
              long thread = store.thread(1, "main", 1, false, 0, null);
              ManyStacks.sample(store, thread, 0, 10_000_000, node, 0, 0);
            });
    Path profile = write(recording, directory.resolve("library.pb.gz"));
    assumeTrue(Commands.exist("go"), "needs go tool pprof (Debian: golang-go)");
    String top = Commands.output("go", "tool", "pprof", "-top", "-lines", profile);
    assertTrue(top.contains("burns_here") && top.contains("burns.c:2"), top);
  }

  static Path write(SampledRecording recording, Path file) throws Exception {
    return Files.write(file, ExportedStacks.bytes(new PprofExport(Selection.ALL), recording));
  }
}
