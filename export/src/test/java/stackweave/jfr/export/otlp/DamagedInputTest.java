package stackweave.jfr.export.otlp;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.opentelemetry.proto.collector.profiles.v1development.ExportProfilesPartialSuccess;
import io.opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.read.SampledModule;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;

/** Libraries and answers that somebody changed: nothing fails, and nothing hangs. */
class DamagedInputTest {
  private static final int RUNS = 2_000;

  @Test
  void libraries(@TempDir Path directory) throws Exception {
    assumeTrue(Commands.exist("gcc"), "needs gcc");
    Path library = Gcc.library(directory, "good", "int f(int a) { return a; }", "-Wl,--build-id");
    Matcher id =
        Pattern.compile("Build ID: ([0-9a-f]+)").matcher(Commands.output("readelf", "-n", library));
    assertTrue(id.find());
    byte[] good = Files.readAllBytes(library);
    SampledModule module =
        new SampledModule(library.toString(), "", id.group(1), 0, 0, "", "", 0, "", false);
    assertTrue(HtlHash.of(module).isPresent());
    Random random = new Random(11);
    int refused = 0;
    for (int run = 0; run < RUNS; run++) {
      byte[] bad = Arrays.copyOf(good, run % 4 == 0 ? random.nextInt(good.length) : good.length);
      for (int change = random.nextInt(4); change >= 0 && bad.length > 0; change--) {
        // Headers and notes are in the beginning.
        bad[random.nextInt(Math.min(bad.length, 1_024))] = (byte) random.nextInt();
      }
      Files.write(library, bad);
      refused += HtlHash.of(module).isPresent() ? 0 : 1;
    }
    assertTrue(refused > RUNS / 10 && refused < RUNS, refused + " refused");
  }

  @Test
  void answers() {
    byte[] good =
        ExportProfilesServiceResponse.newBuilder()
            .setPartialSuccess(
                ExportProfilesPartialSuccess.newBuilder()
                    .setRejectedProfiles(300)
                    .setErrorMessage("because"))
            .build()
            .toByteArray();
    Random random = new Random(13);
    for (int run = 0; run < 20 * RUNS; run++) {
      byte[] bad = Arrays.copyOf(good, random.nextInt(good.length + 3));
      for (int change = random.nextInt(4); change >= 0 && bad.length > 0; change--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt();
      }
      assertTrue(OtlpAnswer.ofResponse(bad).message().length() <= bad.length);
      assertTrue(OtlpAnswer.errorOf(bad).length() <= bad.length);
    }
  }
}
