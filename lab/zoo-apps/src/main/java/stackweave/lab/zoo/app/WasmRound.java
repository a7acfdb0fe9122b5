package stackweave.lab.zoo.app;

import io.github.kawamuray.wasmtime.Engine;
import io.github.kawamuray.wasmtime.Extern;
import io.github.kawamuray.wasmtime.Func;
import io.github.kawamuray.wasmtime.Instance;
import io.github.kawamuray.wasmtime.Module;
import io.github.kawamuray.wasmtime.Store;
import io.github.kawamuray.wasmtime.Val;
import io.github.kawamuray.wasmtime.WasmFunctions;
import io.github.kawamuray.wasmtime.WasmValType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import stackweave.samples.work.Round;

/** WebAssembly, compiled by Cranelift, below a runtime in Rust; it calls Java now and then. */
final class WasmRound implements Round {
  private static final String MODULE =
      """
      (module
        (import "java" "help" (func $help (param i32) (result i32)))
        (memory 1)
        (func $calls (export "calls") (param $n i32) (result i32)
          (if (result i32) (i32.lt_s (local.get $n) (i32.const 2))
            (then (local.get $n))
            (else (i32.add
              (call $calls (i32.sub (local.get $n) (i32.const 1)))
              (call $calls (i32.sub (local.get $n) (i32.const 2)))))))
        (func $mix (param $x i32) (result i32)
          (i32.xor
            (i32.mul (local.get $x) (i32.const 1103515245))
            (i32.rotl (local.get $x) (i32.const 7))))
        (func (export "loops") (param $n i32) (result i32)
          (local $i i32) (local $s i32)
          (loop $again
            (local.set $s (call $mix (i32.add (local.get $s) (local.get $i))))
            (i32.store (i32.and (local.get $s) (i32.const 0xfff8)) (local.get $s))
            (if (i32.eqz (i32.and (local.get $i) (i32.const 1023)))
              (then (local.set $s (i32.add (local.get $s) (call $help (local.get $i))))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $again (i32.lt_s (local.get $i) (local.get $n))))
          (i32.add (local.get $s) (i32.load (i32.const 64)))))
      """;

  private final String function;
  private final int argument;
  private Store<Void> store;
  private Func exported;

  WasmRound(String function, int argument) {
    this.function = function;
    this.argument = argument;
  }

  @Override
  public long run() {
    if (store == null) {
      store = Store.withoutData();
      Engine engine = store.engine();
      Module module = new Module(engine, MODULE.getBytes(StandardCharsets.UTF_8));
      Func help = WasmFunctions.wrap(store, WasmValType.I32, WasmValType.I32, WasmRound::help);
      Instance instance = new Instance(store, module, List.of(Extern.fromFunc(help)));
      exported = instance.getFunc(store, function).orElseThrow();
    }
    long sum = 0;
    for (int i = 0; i < 20; i++) {
      sum = exported.call(store, Val.fromI32(argument))[0].i32();
    }
    return function.equals("loops") ? 0 : sum; // its memory is not the same each time
  }

  /** Called from WebAssembly. */
  private static int help(int number) {
    return Integer.toString(number).length();
  }
}
