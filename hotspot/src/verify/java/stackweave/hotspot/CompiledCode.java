package stackweave.hotspot;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import stackweave.hotspot.model.FrameKind;

/**
 * What the JVM itself says is compiled code: {@code jcmd Compiler.codelist} for addresses and
 * levels, the log of compilations for which of them are on-stack replacements.
 */
final class CompiledCode {
  /** id level state name(signature) [header, begin - end]. */
  private static final Pattern LISTED =
      Pattern.compile(
          "(\\d+) +(-?\\d+) +-?\\d+ +(\\S+?)(\\(\\S+) \\[0x[0-9a-f]+, 0x([0-9a-f]+) - 0x([0-9a-f]+)\\]");

  /** id, flags of which the first is for on-stack replacement, level. */
  private static final Pattern LOGGED = Pattern.compile(" *(\\d+) ([ %])[ s][ !][ b][ n] .*");

  /**
   * @param level of the compiler; 0 for the wrapper of a native method
   */
  record Method(int id, int level, boolean osr, String name, long begin, long end) {

    FrameKind kind() {
      return switch (level) {
        case 0 -> FrameKind.NATIVE_METHOD;
        case 4 -> osr ? FrameKind.C2_OSR : FrameKind.C2;
        default -> osr ? FrameKind.C1_OSR : FrameKind.C1;
      };
    }
  }

  private final List<Method> methods = new ArrayList<>();

  private CompiledCode() {}

  /** As it is now; {@code log} is written by -Xlog:jit+compilation=debug without decorations. */
  static CompiledCode now(Path log) throws IOException, JMException {
    Set<Integer> osr = new HashSet<>();
    for (String line : Files.readAllLines(log)) {
      Matcher logged = LOGGED.matcher(line);
      if (logged.matches() && logged.group(2).equals("%")) {
        osr.add(Integer.parseInt(logged.group(1)));
      }
    }
    CompiledCode code = new CompiledCode();
    Object list =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "compilerCodelist",
                null,
                null);
    for (String line : list.toString().split("\n")) {
      Matcher listed = LISTED.matcher(line);
      if (listed.find()) {
        int id = Integer.parseInt(listed.group(1));
        code.methods.add(
            new Method(
                id,
                Integer.parseInt(listed.group(2)),
                osr.contains(id),
                listed.group(3),
                Long.parseUnsignedLong(listed.group(5), 16),
                Long.parseUnsignedLong(listed.group(6), 16)));
      }
    }
    return code;
  }

  /** The compiled method whose code holds the return address, or null. */
  Method at(long returnAddress) {
    for (Method method : methods) {
      if (returnAddress > method.begin && returnAddress <= method.end) {
        return method;
      }
    }
    return null;
  }
}
