package stackweave.agent.decode.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import stackweave.jfr.event.LabelText;
import stackweave.jfr.store.ContextDefinition;

/** What scopes become in the recording. */
class SampledContextsTest {
  @Test
  void innerLabelsHideOuterOnesAndIdsStandApart() {
    String[][] scopes = {
      {"step", "parse", "tenant", "b"}, {"trace_id", "t", "span_id", "s", "tenant", "a", "x", "y"}
    };
    assertEquals(
        new ContextDefinition("t", "s", "step=parse;tenant=b;x=y"),
        SampledContexts.definition(scopes));
  }

  @Test
  void whatCannotBeUsedIsLeftOut() {
    String[][] scopes = {{"a", "1", "b", null, null, "c", "a", "2", "alone"}, {}};
    assertEquals(new ContextDefinition("", "", "a=2"), SampledContexts.definition(scopes));
  }

  @Test
  void emptyValuesHideOuterOnes() {
    String[][] scopes = {{"trace_id", "", "a", ""}, {"trace_id", "t", "a", "1", "b", "2"}};
    assertEquals(new ContextDefinition("", "", "b=2"), SampledContexts.definition(scopes));
    assertTrue(SampledContexts.definition(new String[][] {{"a", ""}, {"a", "1"}}).isEmpty());
  }

  @Test
  void labelsAreBounded() {
    String[] many = new String[100];
    for (int i = 0; i < many.length; i += 2) {
      many[i] = "k".repeat(SampledContexts.MAX_KEY) + i;
      many[i + 1] = "v".repeat(1_000);
    }
    many[98] = "last";
    ContextDefinition definition = SampledContexts.definition(new String[][] {many});
    // All other keys are one when they are cut.
    assertEquals(2, LabelText.parse(definition.labels()).size());
    for (int i = 0; i < many.length; i += 2) {
      many[i] = "k" + i;
    }
    definition = SampledContexts.definition(new String[][] {many});
    assertEquals(SampledContexts.MAX_LABELS, LabelText.parse(definition.labels()).size());
    assertEquals(
        "v".repeat(SampledContexts.MAX_VALUE), LabelText.parse(definition.labels()).get("k98"));
  }
}
