package stackweave.jfr.export.otlp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.proto.collector.profiles.v1development.ExportProfilesPartialSuccess;
import io.opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceResponse;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Answers that somebody changed: nothing fails, and nothing hangs. */
class DamagedInputTest {
  private static final int RUNS = 2_000;

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
