package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.LoadsWhenTold;
import stackweave.agent.apps.Works;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;

/**
 * JVMs under seccomp filters that kill: none of the calls that a usual service doesn't make is
 * made, and what they are for is had without them.
 */
@Order(5)
class SeccompIT extends FilteredJvm {
  /** All calls together, on the oldest and the newest that is not started by entering a chroot. */
  static Stream<Arguments> filters() {
    return Stream.concat(
        Jvm.onOldest().map(jvm -> Arguments.of(jvm, ALL, "auto")),
        Jdk.newestOf(Container.publicJvms().map(Jvm::jdk).toList())
            .map(jdk -> Arguments.of(new Jvm(jdk), "@system-service", "auto")));
  }

  @ParameterizedTest
  @MethodSource("filters")
  void aFilterThatKillsIsNotMet(Jvm jvm, String calls, String engine) throws Exception {
    assertNotMet(jvm, calls, engine);
  }

  /** One that would else sample from outside, and one that can't do without. */
  @Test
  void aCommandDoesNotMeetItsFilterEither() throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    List<String> app = List.of("-cp", Jars.apps().toString(), Works.class.getName());
    List<Object> command = recordUnderFilter(jvm);
    try (LiveJvm live = LiveJvm.start(jvm, directory, app, new ArrayList<>())) {
      List<Object> one = new ArrayList<>(command);
      one.addAll(List.of(live.pid(), "-d", "1s", "-o", directory.resolve("rec.jfr")));
      String said = Commands.run(one.toArray()).successfully().err();
      assertTrue(said.contains("sampled from inside, by an agent: perf not tried"), said);
    }
    command.addAll(List.of("--all", "-d", "1s", "-o", directory.resolve("%p.jfr")));
    Ended all = Commands.run(command.toArray());
    assertEquals(2, all.exit(), all.err());
    assertTrue(all.err().contains("perf not tried"), all.err());
  }

  /** An application that puts all its threads under a filter when they run already. */
  @Test
  void aFilterThatComesLater() throws Exception {
    Path library = Gcc.compile(tools, "filter_later.c", "libfilter_later.so", "-shared", "-fPIC");
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    List<String> arguments = arguments("engine=auto,memory=auto", LoadsWhenTold.class);
    try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, new ArrayList<>())) {
      String before = live.awaitStatus("an engine", status -> status.contains("engine: "));
      assertFalse(before.contains("not tried"), before);
      live.tell(library.toString(), "loaded");
      String after = live.awaitStatus("another", status -> status.contains(NOT_TRIED));
      assertTrue(after.contains("engine: timer"), after);
      live.awaitSamplesOf("busy", WORK);
      assertEquals(READERS, memoryFiles(live.pid()));
      assertEquals(0, live.end().exit());
    }
    assertHasSamples();
  }
}
