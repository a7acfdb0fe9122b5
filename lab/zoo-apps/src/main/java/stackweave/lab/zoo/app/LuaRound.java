package stackweave.lab.zoo.app;

import party.iroiro.luajava.Lua;
import party.iroiro.luajava.luajit.LuaJit;
import stackweave.samples.work.Round;

/** LuaJIT: compiled traces, and the interpreter in assembly. */
final class LuaRound implements Round {
  /** What is compiled to traces: loops over numbers. */
  static final String LOOPS =
      """
      local bit = require('bit')
      function work()
        local s, sum = 42, 0
        for i = 1, 200000 do
          s = bit.bxor(bit.lshift(s, 5), bit.rshift(s, 3)) + i
          s = bit.band(s, 0xffffff)
          sum = sum + math.sqrt(s) * 0.5 + s % 7
        end
        return math.floor(sum) % 1000003
      end
      """;

  /** What is interpreted or calls C: strings, tables, sorting with a comparison, patterns; Java. */
  static final String TABLES =
      """
      function work()
        local s, list = 42, {}
        for i = 1, 2000 do
          s = (s * 16807) % 2147483647
          list[i] = { key = 'k' .. (s % 997), n = s % 10007 }
        end
        table.sort(list, function(a, b) return a.n < b.n end)
        local parts, hits = {}, 0
        for i, e in ipairs(list) do parts[i] = e.key .. '=' .. e.n end
        for k, v in string.gmatch(table.concat(parts, ','), '(%w+)=(%d+)') do hits = hits + #k * #v end
        for i = 1, 200 do hits = (hits + helper(i)) % 1000003 end
        return hits
      end
      """;

  private final String script;
  private Lua lua;

  LuaRound(String script) {
    this.script = script;
  }

  @Override
  public long run() {
    if (lua == null) {
      lua = new LuaJit();
      lua.openLibraries();
      lua.push(LuaRound::help);
      lua.setGlobal("helper");
      lua.run(script);
    }
    lua.getGlobal("work");
    lua.pCall(0, 1);
    long result = (long) lua.toNumber(-1);
    lua.pop(1);
    return result;
  }

  /** Called from Lua. */
  private static int help(Lua lua) {
    lua.push(Integer.toString((int) lua.toNumber(1)).length());
    return 1;
  }
}
