package stackweave.sframe.writer;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.sframe.tools.SFrameText;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.SFrameSection;

/**
 * What GNU objdump says of an SFrame section of any architecture: the one on the path, or another
 * one with {@code -Dsframe.objdump=PROGRAM}. A row is a line of start and size of its function, how
 * that is marked (mask, signal, flex, keyB), row pc, CFA, FP, RA; a function without rows is a line
 * that ends in -.
 */
public final class Objdump {
  /** The program. */
  public static final String PROGRAM = System.getProperty("sframe.objdump", "objdump");

  private static final Pattern VERSION = Pattern.compile("GNU objdump .*?(\\d+)\\.(\\d+).*");
  private static final Pattern FUNCTION =
      Pattern.compile(
          " *func idx \\[\\d+\\]: pc = 0x(\\p{XDigit}+), size = (\\d+) bytes"
              + "(?:, pauth = (B key|A key))?(?:, attr = \"([SF]+)\")?.*");
  private static final Pattern COLUMNS = Pattern.compile(" *STARTPC(\\[m\\])? .*");
  private static final Pattern ROW = Pattern.compile(" *(\\p{XDigit}{16}) +(.*)");

  private static final int ELF_HEADER = 64;
  private static final int SECTION_HEADER = 64;
  private static final String NAMES = "\0.sframe\0.shstrtab\0";

  private Objdump() {}

  /** Whether it reads sections of a version: none of today's reads version 1. */
  public static boolean reads(int version) throws IOException, InterruptedException {
    try {
      Process process = new ProcessBuilder(PROGRAM, "--version").start();
      try (BufferedReader lines = process.inputReader()) {
        List<String> text = lines.lines().toList();
        Matcher matcher = VERSION.matcher(text.isEmpty() ? "" : text.get(0));
        process.waitFor();
        return version > 1
            && matcher.matches()
            && Integer.parseInt(matcher.group(1)) == 2
            && Integer.parseInt(matcher.group(2)) >= (version == 3 ? 46 : 45);
      }
    } catch (IOException e) {
      return false;
    }
  }

  /** Its rows of a section that is loaded at an address. */
  public static List<String> rows(byte[] section, long address)
      throws IOException, InterruptedException {
    Path elf = Files.createTempFile("sframe", ".elf");
    try {
      Files.write(elf, elf(section, address));
      return parse(elf);
    } finally {
      Files.delete(elf);
    }
  }

  /** An ELF file that holds nothing but the section. */
  private static byte[] elf(byte[] section, long address) {
    boolean big = (section[0] & 0xff) == 0xde; // the magic number is 0xdee2
    byte[] names = NAMES.getBytes(StandardCharsets.US_ASCII);
    int namesAt = ELF_HEADER + section.length;
    int headersAt = namesAt + names.length;
    ByteBuffer out =
        ByteBuffer.allocate(headersAt + 3 * SECTION_HEADER)
            .order(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    int machine = section[4] == 3 ? 62 : section[4] == 4 ? 22 : 183;
    out.put(new byte[] {0x7f, 'E', 'L', 'F', 2, (byte) (big ? 2 : 1), 1}).position(16);
    out.putShort((short) 3).putShort((short) machine).putInt(1).putLong(0).putLong(0);
    out.putLong(headersAt).putInt(0).putShort((short) ELF_HEADER).putShort((short) 0);
    out.putShort((short) 0).putShort((short) SECTION_HEADER).putShort((short) 3);
    out.putShort((short) 2).put(section).put(names).position(headersAt + SECTION_HEADER);
    sectionHeader(out, NAMES.indexOf(".sframe"), 0x6fff_fff4, address, ELF_HEADER, section.length);
    sectionHeader(out, NAMES.indexOf(".shstrtab"), 3, 0, namesAt, names.length);
    return out.array();
  }

  private static void sectionHeader(
      ByteBuffer out, int name, int type, long address, int offset, int size) {
    out.putInt(name).putInt(type).putLong(address == 0 ? 0 : 2).putLong(address).putLong(offset);
    out.putLong(size).putInt(0).putInt(0).putLong(1).putLong(0);
  }

  private static List<String> parse(Path elf) throws IOException, InterruptedException {
    List<String> rows = new ArrayList<>();
    Process process =
        new ProcessBuilder(PROGRAM, "--sframe=.sframe", elf.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader lines = process.inputReader()) {
      String function = null;
      String marks = "";
      boolean any = true;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Matcher head = FUNCTION.matcher(line);
        Matcher columns = COLUMNS.matcher(line);
        Matcher row = ROW.matcher(line);
        if (head.matches()) {
          if (!any) {
            rows.add(line(function, marks, "-", ""));
          }
          any = false;
          function = head.group(1) + " " + head.group(2);
          String attributes = head.group(4) == null ? "" : head.group(4);
          marks =
              (attributes.contains("S") ? "signal," : "")
                  + (attributes.contains("F") ? "flex," : "")
                  + ("B key".equals(head.group(3)) ? "keyB," : "");
        } else if (columns.matches()) {
          marks = (columns.group(1) == null ? "" : "mask,") + marks;
        } else if (row.matches()) {
          any = true;
          String pc = Long.toHexString(Long.parseUnsignedLong(row.group(1), 16));
          // Wide columns run into each other: compared without spaces.
          String what = row.group(2).replace(" ", "").replace("RAundefined", "undef");
          rows.add(line(function, marks, pc, what));
        }
      }
      if (!any) {
        rows.add(line(function, marks, "-", ""));
      }
    }
    if (process.waitFor() != 0) {
      throw new IOException(PROGRAM + " failed");
    }
    return rows;
  }

  private static String line(String function, String marks, String pc, String what) {
    return String.join(" ", function, "[" + marks + "]", pc, what).stripTrailing();
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
        .map(Objdump::ours)
        .toList();
  }

  /** A line of ours: number, start, size, row pc, CFA, FP, RA, marks of function and row. */
  private static String ours(String line) {
    String[] columns = line.split("\t");
    List<String> marks = List.of(columns[7].split(","));
    StringBuilder functionMarks = new StringBuilder();
    for (String mark : List.of("mask", "signal", "flex", "keyB")) {
      functionMarks.append(marks.contains(mark) ? mark + "," : "");
    }
    String what = (columns[4] + columns[5] + columns[6]).replace("*", "");
    if (columns[3].equals("-")) {
      what = "";
    } else if (marks.contains("undef")) {
      what = "undef";
    } else if (marks.contains("mangled")) {
      what += "[s]";
    }
    return line(columns[1] + " " + columns[2], functionMarks.toString(), columns[3], what);
  }
}
