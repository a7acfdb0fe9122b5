package stackweave.live.loads;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Frame;
import stackweave.live.support.Stacks.Sample;
import stackweave.testing.ByChance;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;

/** A library without a file any more still unwinds, and names what it exports. */
@ByChance
class DeletedLibraryIT {

  private static final List<String> EXPORTED =
      List.of(
          "Java_stackweave_samples_lab_phase_Chains_run",
          "lab_chain_outer",
          "lab_chain_middle",
          "lab_chain_inner",
          "lab_chain_leaf");

  /** The first of a thread come before the library is known to be mapped. */
  private static final double SHARE = 0.995;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void unwindsAndNamesItsExports(Jdk jdk) {
    Ended ended =
        Jvms.on(jdk)
            .agent("interval=1ms", "drain=100")
            .recording()
            .run("stackweave.live.loads.DeletedLibraryApp", "1")
            .successfully();
    String file = ended.outLines().get(0);
    Stacks stacks = Stacks.of(ended.recording());
    List<Sample> samples =
        stacks
            .of(sample -> !sample.frames().isEmpty() && sample.innermost().module().equals(file))
            .filter(sample -> !sample.innermost().name().contains("plt"))
            .toList();
    System.out.printf("%s, deleted library: %d samples%n", jdk, samples.size());
    assertTrue(samples.size() >= 30, () -> samples.size() + " in " + file);
    List<Sample> wrong =
        samples.stream()
            .filter(sample -> !stacks.isComplete(sample) || !isChain(names(sample, file)))
            .toList();
    wrong.stream().limit(2).forEach(System.out::println);
    Promise.atLeast("true chains", SHARE, samples.size() - wrong.size(), samples.size());
    assertTrue(
        samples.stream().anyMatch(sample -> names(sample, file).containsAll(EXPORTED)),
        () -> "no sample of the whole chain: " + samples.get(0));
  }

  private static List<String> names(Sample sample, String module) {
    return sample.frames().stream()
        .filter(frame -> frame.module().equals(module))
        .map(Frame::name)
        .toList();
  }

  /**
   * The exported functions in order from the first on, and between the third and the fourth one
   * that is not exported: it has its name only where the file can still be reached (root may, by
   * /proc/self/map_files).
   */
  private static boolean isChain(List<String> names) {
    List<String> named = names.stream().filter(EXPORTED::contains).toList();
    int unnamed = names.size() - named.size();
    return named.equals(EXPORTED.subList(0, named.size()))
        && (unnamed == 0 && named.size() <= 3
            || unnamed == 1 && named.size() >= 3 && !EXPORTED.contains(names.get(3)));
  }
}
