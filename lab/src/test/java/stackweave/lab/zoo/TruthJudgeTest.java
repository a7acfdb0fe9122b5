package stackweave.lab.zoo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.lab.zoo.Stack.Frame;
import stackweave.lab.zoo.Stack.Kind;
import stackweave.lab.zoo.TrueCalls.Place;
import stackweave.lab.zoo.TrueCalls.Sample;
import stackweave.lab.zoo.TruthJudge.Located;

/** Stacks against the returns that followed. */
class TruthJudgeTest {
  private static final Place JAVA = new Place("", 0x7000, true);

  private static final Sample TRUTH =
      new Sample(
          1,
          Instant.EPOCH,
          Instant.EPOCH,
          new Place("lib.so", 0x100, false),
          List.of(new Place("lib.so", 0x200, false), new Place("lib.so", 0x300, false), JAVA));

  private final TruthJudge judge = new TruthJudge();

  private static Located at(long offset, String found) {
    return new Located(
        Frame.ofCode("lib.so", "", Found.of(found, found.startsWith("by "))), offset);
  }

  private static Located java() {
    return new Located(Frame.ofMethod("a.B", "c", true, Found.TABLES), -1);
  }

  @Test
  void aTrueStackIsRightUpToJava() {
    judge.add(
        TRUTH,
        List.of(
            at(0x100, "unwind tables"),
            at(0x200, "forward to ret"),
            at(0x2FF, "frame pointer"), // the call, not the return address
            java()));
    assertEquals(1, judge.whole);
    assertEquals(0, judge.wrongStacks);
    assertEquals(1, judge.sum(true).right);
    assertEquals(2, judge.sum(false).right);
    assertEquals(1, judge.ways.get("frame pointer").right);
  }

  @Test
  void aSkippedCallerIsWrong() {
    judge.add(TRUTH, List.of(at(0x100, "unwind tables"), at(0x300, "by frame pointer"), java()));
    assertEquals(1, judge.wrongStacks);
    assertEquals(0, judge.unmarked);
    assertEquals(1, judge.sum(true).wrong);
    assertEquals(0, judge.whole);
  }

  @Test
  void javaReachedTooSoonIsWrongAndCountsAsUnmarked() {
    judge.add(TRUTH, List.of(at(0x100, "unwind tables"), at(0x200, "unwind tables"), java()));
    assertEquals(1, judge.unmarked);
    assertEquals(1, judge.sum(true).right);
    assertEquals(1, judge.sum(false).wrong);
  }

  @Test
  void anEndOrAGapIsNotWrong() {
    judge.add(TRUTH, List.of(at(0x100, "unwind tables"), at(0x200, "unwind tables")));
    judge.add(
        TRUTH,
        List.of(
            at(0x100, "unwind tables"),
            new Located(Frame.ofOther(Kind.OTHER, "[missing frames]", Found.TABLES), -1),
            java()));
    assertEquals(2, judge.cut);
    assertEquals(0, judge.wrongStacks);
  }
}
