package stackweave.agent.feature.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stackweave.jfr.call.CallPatterns;

class UnmatchedPatternsTest {
  private static final String NONE =
      ": no class loaded so far has such a native method that can be timed";

  private WrappedMethods methods;

  @BeforeEach
  void begin() throws Exception {
    methods =
        new WrappedMethods(
            new CallSwitch(MethodHandles.privateLookupIn(CallHook.class, MethodHandles.lookup())));
  }

  private UnmatchedPatterns of(String patterns) {
    return new UnmatchedPatterns("calls", List.of(CallPatterns.parse(patterns)), methods);
  }

  @Test
  void thoseThatMatchNothingAreNamed() {
    methods.number("com.acme.Native", "encode", "()V");
    UnmatchedPatterns patterns = of("com.acme.Natve::*;com.acme.Native::*;com.acme.Native::decode");
    String named = "calls: com.acme.Natve::*;com.acme.Native::decode";
    assertEquals(named + NONE, patterns.note());
    methods.number("com.acme.Native", "decode", "()V");
    assertEquals("calls: com.acme.Natve::*" + NONE, patterns.note());
  }

  /** A recording would keep the earlier note. */
  @Test
  void aNoteThatBecameWrongIsTakenBack() {
    UnmatchedPatterns patterns = of("a.Late::*");
    assertEquals("calls: a.Late::*" + NONE, patterns.note());
    methods.number("a.Late", "call", "()V");
    assertEquals("calls: each pattern has matched a native method by now", patterns.note());
  }

  @Test
  void whereAllMatchThereIsNothingToSay() {
    methods.number("a.B", "c", "()V");
    assertEquals("", of("a.*::*;*::c").note());
  }

  @Test
  void manyAreCounted() {
    String note = of("a.A::*;a.B::*;a.C::*;a.D::*;a.E::*;a.F::*;a.G::*").note();
    assertTrue(note.startsWith("calls: a.A::*;a.B::*;a.C::*;a.D::*;a.E::* and 2 more"), note);
  }
}
