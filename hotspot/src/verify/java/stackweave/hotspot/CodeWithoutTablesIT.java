package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.CodeModules;
import stackweave.unwind.walk.Found;

/**
 * Assembly without unwind information, interrupted at each of its instructions: the frames are
 * those that its calls have made, as gdb saw them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CodeWithoutTablesIT {
  private static final Path SOURCE = Path.of("src/test/resources/asm/functions.s");

  /** Static programs are linked there; what they map lies far above. */
  private static final long PROGRAM_END = 0x1000_0000;

  private final Vm vm = new Vm();
  private final FrameBuffer frames = new FrameBuffer(64);
  private final MixedUnwinder unwinder = vm.unwinder();
  private SteppedProgram program;

  CodeWithoutTablesIT() throws Exception {}

  @BeforeAll
  void step(@TempDir Path directory) throws Exception {
    program = SteppedProgram.of(directory, SOURCE);
  }

  /** The program, which says nothing of its frames, and memory of no file. */
  private final class Silent implements CodeModules, CodeModule {
    @Override
    public int generation() {
      return 1;
    }

    @Override
    public CodeModule find(long pc) {
      return pc > 0 && pc < PROGRAM_END ? this : null;
    }

    @Override
    public boolean isExecutable(long pc) {
      return program.isCode(pc);
    }

    @Override
    public long bias() {
      return 0;
    }

    @Override
    public UnwindTable unwindTable() {
      return address -> UnwindTable.NO_RULE;
    }
  }

  @Test
  void callersAreThoseThatCalled() {
    assertTrue(program.states().size() > 300, program.states().size() + " instructions");
    List<String> wrong = new ArrayList<>();
    int whole = 0;
    for (SteppedProgram.State state : program.states()) {
      unwinder.unwind(state.snapshot(program), new Silent(), frames);
      List<Long> expected = new ArrayList<>(List.of(state.pc()));
      state.callers().forEach(caller -> expected.add(caller[0]));
      List<Long> found = new ArrayList<>();
      for (int i = 0; i < frames.count() && !frames.found(i).isGuess(); i++) {
        found.add(frames.pc(i));
      }
      whole += found.equals(expected) ? 1 : 0;
      if (found.size() > expected.size() || !expected.subList(0, found.size()).equals(found)) {
        wrong.add(hex(expected) + " but " + hex(found) + " " + frames.end());
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(
        whole >= program.states().size() * 98 / 100,
        whole + " whole stacks of " + program.states().size());
    assertEquals(0, unwinder.failures());
  }

  /** Stubs of linkage tables push nothing, so their callers are no guess. */
  @Test
  void callersOfStubsAreCertain() {
    int stubs = 0;
    for (SteppedProgram.State state : program.states()) {
      if (program.isJumpThroughData(state.pc())) {
        unwinder.unwind(state.snapshot(program), new Silent(), frames);
        assertEquals(state.callers().get(0)[0], frames.pc(1));
        assertEquals(Found.FORWARD, frames.found(1));
        stubs++;
      }
    }
    assertEquals(2, stubs);
  }

  private static String hex(List<Long> pcs) {
    return pcs.stream().map(Long::toHexString).toList().toString();
  }
}
