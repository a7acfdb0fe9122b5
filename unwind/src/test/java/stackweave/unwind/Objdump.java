package stackweave.unwind;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.unwind.sframe.tools.SFrameText;

/** What GNU objdump says of an SFrame section. */
public final class Objdump {
  private static final Pattern VERSION = Pattern.compile("GNU objdump .*?(\\d+)\\.(\\d+).*");
  private static final Pattern FUNCTION =
      Pattern.compile(" *func idx \\[\\d+\\]: pc = 0x(\\p{XDigit}+), size = (\\d+) bytes.*");
  private static final Pattern ROW = Pattern.compile(" *(\\p{XDigit}{16}) +(.*)");

  private Objdump() {}

  /** Whether this objdump reads sections of a version. */
  public static boolean reads(String objdump, int version)
      throws IOException, InterruptedException {
    try {
      Process process = new ProcessBuilder(objdump, "--version").start();
      try (BufferedReader lines = process.inputReader()) {
        List<String> text = lines.lines().toList();
        Matcher matcher = VERSION.matcher(text.isEmpty() ? "" : text.get(0));
        process.waitFor();
        return matcher.matches()
            && Integer.parseInt(matcher.group(1)) == 2
            && Integer.parseInt(matcher.group(2)) >= (version == 3 ? 46 : 45);
      }
    } catch (IOException e) {
      return false;
    }
  }

  /** Its rows of a section: start, size, row pc, CFA, FP, RA; a function without rows ends in -. */
  public static List<String> rows(String objdump, byte[] section, long address)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("sframe");
    Path raw = directory.resolve("raw");
    Path elf = directory.resolve("elf");
    try {
      Files.write(raw, section);
      run(
          "objcopy",
          "-I",
          "binary",
          "-O",
          "elf64-x86-64",
          "--rename-section",
          ".data=.sframe,alloc,load,readonly,data,contents",
          raw.toString(),
          elf.toString());
      run("objcopy", "--change-section-address", ".sframe=" + address, elf.toString());
      return parse(objdump, elf);
    } finally {
      Files.deleteIfExists(raw);
      Files.deleteIfExists(elf);
      Files.delete(directory);
    }
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + " failed");
    }
  }

  private static List<String> parse(String objdump, Path elf)
      throws IOException, InterruptedException {
    List<String> rows = new ArrayList<>();
    Process process =
        new ProcessBuilder(objdump, "--sframe=.sframe", elf.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader lines = process.inputReader()) {
      String function = null;
      boolean any = true;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Matcher head = FUNCTION.matcher(line);
        Matcher row = ROW.matcher(line);
        if (head.matches()) {
          if (!any) {
            rows.add(function + " -");
          }
          any = false;
          function = head.group(1) + " " + head.group(2);
        } else if (row.matches()) {
          any = true;
          String pc = Long.toHexString(Long.parseUnsignedLong(row.group(1), 16));
          // Wide columns run into each other: compared without spaces.
          String what = row.group(2).replace(" ", "").replace("RAundefined", "undefundefundef");
          rows.add(function + " " + pc + " " + what);
        }
      }
      if (!any) {
        rows.add(function + " -");
      }
    }
    if (process.waitFor() != 0) {
      throw new IOException(objdump + " failed");
    }
    return rows;
  }

  /** Our rows in the same form. */
  public static List<String> rows(Section section) throws IOException, MalformedSectionException {
    StringBuilder text = new StringBuilder();
    List<SFrameFault> faults = SFrameText.write(SFrameSection.read(section), text);
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(faults.toString());
    }
    return text.toString()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(
            line -> {
              String[] columns = line.split("\t");
              if (columns[3].equals("-")) {
                return columns[1] + " " + columns[2] + " -";
              }
              String what = (columns[4] + columns[5] + columns[6]).replace("*", "");
              return String.join(" ", columns[1], columns[2], columns[3], what);
            })
        .toList();
  }
}
