package stackweave.unwind.walk;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The ground truth of one program: for each executed instruction the registers, the memory as far
 * as it was written, and the true return addresses.
 */
final class LiveTrace implements MemoryReader, AutoCloseable {
  private static final Map<Architecture, List<String>> NAMES =
      Map.of(
          Architecture.X86_64,
          List.of(
              "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11",
              "r12", "r13", "r14", "r15"),
          Architecture.AARCH64,
          numbered("x", 31, List.of("sp")),
          Architecture.S390X,
          numbered(
              "r",
              16,
              List.of(
                  "f0", "f2", "f4", "f6", "f1", "f3", "f5", "f7", "f8", "f10", "f12", "f14", "f9",
                  "f11", "f13", "f15")));

  private final Map<Long, Long> words = new HashMap<>();
  private final Architecture architecture;
  private final Registers registers;
  private final BufferedReader lines;
  private final List<Elf> images = new ArrayList<>();
  private final List<Long> biases = new ArrayList<>();
  private String line;
  private List<String> truth = List.of();
  private long libraryAddress;
  private int record;

  LiveTrace(Path directory, Architecture architecture) throws IOException {
    this.architecture = architecture;
    registers = new Registers(architecture);
    lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(directory.resolve("truth.trace.gz"))),
                StandardCharsets.US_ASCII));
    line = lines.readLine();
  }

  private static List<String> numbered(String letter, int count, List<String> more) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(letter + i);
    }
    names.addAll(more);
    return names;
  }

  /** Makes the loaded parts of a file readable. */
  void addImage(Elf elf, long bias) {
    images.add(elf);
    biases.add(bias);
  }

  /** Goes to the next instruction; false at the end. */
  boolean next() throws IOException {
    while (line != null && !line.startsWith("P ")) {
      take();
    }
    if (line == null) {
      return false;
    }
    registers();
    record++;
    line = lines.readLine();
    while (line != null && !line.startsWith("P ")) {
      take();
    }
    return true;
  }

  private void take() throws IOException {
    String[] parts = line.split(" ");
    switch (parts[0]) {
      case "W" -> {
        for (int i = 1; i + 1 < parts.length; i += 2) {
          words.put(hex(parts[i]), hex(parts[i + 1]));
        }
      }
      case "C" -> truth = List.of(parts).subList(1, parts.length);
      case "LIB" -> libraryAddress = hex(parts[2]);
      default -> {}
    }
    line = lines.readLine();
  }

  private void registers() {
    registers.clear();
    for (String part : line.substring(2).split(" ")) {
      String name = part.substring(0, part.indexOf('='));
      long value = hex(part.substring(part.indexOf('=') + 1));
      if (name.equals("rip") || name.equals("pc")) {
        registers.setPc(value);
      } else {
        int number = NAMES.get(architecture).indexOf(name);
        if (number >= 0) {
          registers.set(number, value);
        }
      }
    }
  }

  private static long hex(String text) {
    return Long.parseUnsignedLong(text, 16);
  }

  /** The number of the instruction, from 1, as in known-fail lists. */
  int record() {
    return record;
  }

  Registers current() {
    return registers;
  }

  /** Where the library is loaded, as of the records read so far; 0 for none. */
  long libraryAddress() {
    return libraryAddress;
  }

  /** The true return addresses, innermost first, as they stand in the trace. */
  List<String> truth() {
    return truth;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    int shift = (int) (address & 7);
    if (shift == 0 && words.containsKey(address)) {
      return words.get(address);
    }
    if (shift != 0
        && words.containsKey(address - shift)
        && words.containsKey(address - shift + 8)) {
      throw new IllegalStateException("unaligned read of the stack");
    }
    for (int i = 0; i < images.size(); i++) {
      Elf elf = images.get(i);
      long at = address - biases.get(i);
      for (Elf.Header header : elf.sections) {
        if (header.isLoaded()
            && at >= header.address()
            && at + 8 <= header.address() + header.size()) {
          return elf.bytes.getLong((int) (header.offset() + at - header.address()));
        }
      }
    }
    throw UnreadableMemoryException.UNREADABLE;
  }

  /** Of code: what the files hold. */
  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    for (int i = 0; i < images.size(); i++) {
      Elf elf = images.get(i);
      long at = address - biases.get(i);
      for (Elf.Header header : elf.sections) {
        if (header.isLoaded()
            && at >= header.address()
            && at + length <= header.address() + header.size()) {
          elf.bytes.get((int) (header.offset() + at - header.address()), target, offset, length);
          return;
        }
      }
    }
    throw UnreadableMemoryException.UNREADABLE;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
