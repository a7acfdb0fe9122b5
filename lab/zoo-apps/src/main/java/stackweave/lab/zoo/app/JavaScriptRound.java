package stackweave.lab.zoo.app;

import com.caoccao.javet.annotations.V8Function;
import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.interop.V8Host;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.values.reference.V8ValueObject;
import stackweave.samples.work.Round;

/** A JavaScript engine: code of its compilers, its interpreter, its builtins, and calls of Java. */
final class JavaScriptRound implements Round {
  /** Numbers, calls, closures. */
  static final String COMPUTE =
      """
      function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
      class Body { constructor(x, v) { this.x = x; this.v = v; }
        step(bodies) { for (const o of bodies) if (o !== this) {
          const d = o.x - this.x; this.v += d / (1 + d * d); } }
        move() { this.x += 0.001 * this.v; } }
      function simulate(rounds) {
        const bodies = []; for (let i = 0; i < 12; i++) bodies.push(new Body(i * 1.5, -i));
        for (let r = 0; r < rounds; r++) {
          bodies.forEach(b => b.step(bodies)); bodies.forEach(b => b.move()); }
        return bodies.reduce((sum, b) => sum + b.x, 0); }
      function work() { return (fib(21) + Math.round(1000 * simulate(400))) | 0; }
      """;

  /** What mostly runs builtins: sorting with a comparison, expressions, JSON, maps; calls Java. */
  static final String OBJECTS =
      """
      function next(s) { return (s * 1103515245 + 12345) & 0x7fffffff; }
      function work() {
        let s = 42; const list = [];
        for (let i = 0; i < 1500; i++) { s = next(s); list.push({ key: 'k' + (s % 997), n: s % 10007 }); }
        list.sort((a, b) => a.n - b.n || (a.key < b.key ? -1 : 1));
        const map = new Map(); for (const e of list) map.set(e.key, (map.get(e.key) || 0) + e.n);
        const text = JSON.stringify([...map.entries()]);
        let hits = 0; text.replace(/k(\\d+)",(\\d+)/g, (m, a, b) => { hits += a.length * b.length; return ''; });
        let sum = 0; for (let i = 0; i < 200; i++) sum += helper.add(i, hits);
        return (sum + JSON.parse(text).length) | 0; }
      """;

  /** What the scripts call. */
  public static final class Helper {
    /** Called from JavaScript. */
    @V8Function
    public int add(int a, int b) {
      return a + Integer.reverse(b);
    }
  }

  private final String script;
  private V8Runtime runtime;

  JavaScriptRound(String script) {
    this.script = script;
  }

  @Override
  public long run() {
    try {
      if (runtime == null) {
        runtime = V8Host.getV8Instance().createV8Runtime();
        V8ValueObject helper = runtime.createV8ValueObject();
        runtime.getGlobalObject().set("helper", helper);
        helper.bind(new Helper());
        runtime.getExecutor(script).executeVoid();
      }
      return runtime.getExecutor("work()").executeInteger();
    } catch (JavetException e) {
      throw new IllegalStateException(e);
    }
  }
}
