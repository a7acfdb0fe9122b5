package stackweave.engine.perf;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;

/**
 * A ring whose kernel is the test: a file is mapped twice, once by the {@link PerfRing} under test
 * and once by the test, which writes records and moves the head as kernel/events/ring_buffer.c
 * does. The layouts are those of include/uapi/linux/perf_event.h, in its order of fields, and not
 * taken from the classes under test.
 */
final class WrittenRing implements AutoCloseable {
  static final int LOST = 2;
  static final int COMM = 3;
  static final int EXIT = 4;
  static final int THROTTLE = 5;
  static final int FORK = 7;
  static final int SAMPLE = 9;

  /** PERF_CONTEXT_KERNEL and PERF_CONTEXT_USER. */
  static final long CONTEXT_KERNEL = -128;

  static final long CONTEXT_USER = -512;

  static final int DATA_BYTES = 4096;

  private static final int O_RDWR = 2;
  private static final int PAGE = 4096;
  private static final int DATA_HEAD = 1024;
  private static final int DATA_TAIL = 1032;

  private final PerfRing ring;
  private final NativeBuffer mapping;
  private long head;

  WrittenRing(Path directory, int cpu) throws IOException {
    Path file = Files.createTempFile(directory, "ring", "");
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
      access.setLength(PAGE + DATA_BYTES);
    }
    int fd = Libc.open(file.toString(), O_RDWR | Libc.O_CLOEXEC, 0);
    ring = PerfRing.map(cpu, fd, PAGE, DATA_BYTES);
    mapping = NativeBuffer.map(fd, PAGE + DATA_BYTES);
  }

  PerfRing ring() {
    return ring;
  }

  /** Writes a record behind the last one, over the ring's end where it comes to it. */
  WrittenRing write(byte[] record) {
    writeWithoutHead(record);
    return moveHead(record.length);
  }

  /** Writes the bytes, which the reader must not see before {@link #moveHead}. */
  void writeWithoutHead(byte[] record) {
    if (record.length > DATA_BYTES - (head - tail())) {
      throw new IllegalStateException("the kernel would not overwrite what is not taken");
    }
    for (int i = 0; i < record.length; i++) {
      mapping.bytes().put(PAGE + (int) ((head + i) % DATA_BYTES), record[i]);
    }
  }

  WrittenRing moveHead(int bytes) {
    head += bytes;
    mapping.bytes().putLong(DATA_HEAD, head);
    return this;
  }

  /** Fills the ring up to so many bytes before its end, and has all of it taken. */
  void beginBeforeEnd(int bytes) {
    int filler = (int) Math.floorMod(-bytes - head, (long) DATA_BYTES);
    moveHead(filler);
    ring.readHead();
    ring.takeAll();
  }

  /** Bytes that the reader has given back. */
  long tail() {
    return mapping.bytes().getLong(DATA_TAIL);
  }

  long head() {
    return head;
  }

  @Override
  public void close() {
    mapping.close();
    ring.close();
  }

  /** PERF_SAMPLE_TID | TIME | ID | PERIOD, as every sample begins. */
  static Bytes sample(int pid, int tid, long time, long id, long period) {
    return new Bytes(SAMPLE, 0).u32(pid).u32(tid).u64(time).u64(id).u64(period);
  }

  static Bytes comm(int pid, int tid, String name) {
    return new Bytes(COMM, 0).u32(pid).u32(tid).text(name);
  }

  /** FORK and EXIT. */
  static Bytes task(int type, int pid, int parentPid, int tid, int parentTid, long time) {
    return new Bytes(type, 0).u32(pid).u32(parentPid).u32(tid).u32(parentTid).u64(time);
  }

  static Bytes lost(long id, long count) {
    return new Bytes(LOST, 0).u64(id).u64(count);
  }

  /** A record that grows field by field. */
  static final class Bytes {
    private final ByteBuffer bytes = ByteBuffer.allocate(DATA_BYTES).order(ByteOrder.nativeOrder());

    Bytes(int type, int misc) {
      bytes.putInt(type).putShort((short) misc).putShort((short) 0);
    }

    Bytes u8(int value) {
      bytes.put((byte) value);
      return this;
    }

    Bytes u16(int value) {
      bytes.putShort((short) value);
      return this;
    }

    Bytes u32(int value) {
      bytes.putInt(value);
      return this;
    }

    Bytes u64(long... values) {
      for (long value : values) {
        bytes.putLong(value);
      }
      return this;
    }

    Bytes bytes(byte[] value) {
      bytes.put(value);
      return this;
    }

    /** Null-terminated, and padded with zeros to a multiple of 8. */
    Bytes text(String value) {
      bytes.put(value.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
      while (bytes.position() % 8 != 0) {
        bytes.put((byte) 0);
      }
      return this;
    }

    /** The fields of attr.sample_id_all behind a record that is no sample: PERF_SAMPLE_TID … */
    byte[] by(int pid, int tid, long time, long id) {
      return u32(pid).u32(tid).u64(time).u64(id).end();
    }

    byte[] end() {
      return end(bytes.position());
    }

    /** With this size in its header, be it wrong. */
    byte[] end(int size) {
      bytes.putShort(6, (short) size);
      byte[] record = new byte[bytes.position()];
      bytes.get(0, record);
      return record;
    }
  }
}
