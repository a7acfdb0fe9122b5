package stackweave.engine.bpf;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Makes maps and loads programs by bpf(2) (union bpf_attr, include/uapi/linux/bpf.h). The caller
 * must check first whether bpf may be called, and closes the descriptors. Stateless.
 */
public final class Bpf {
  private static final int MAP_CREATE = 0;
  private static final int LOOKUP = 1;
  private static final int UPDATE = 2;
  private static final int DELETE = 3;
  private static final int PROG_LOAD = 5;
  private static final int HASH = 1;
  private static final int ARRAY = 2;
  private static final int LEAST_RECENTLY_USED_HASH = 9;
  private static final int RING = 27;

  /** Programs at probes (enum bpf_prog_type). */
  public static final int KPROBE = 2;

  /** Programs at events that are counted. */
  public static final int PERF_EVENT = 7;

  /** _IOW('$', 8, __u32) in include/uapi/linux/perf_event.h. */
  private static final long IOC_SET_BPF = 0x40042408;

  private static final int MAY_BE_MAPPED = 1 << 10;
  private static final int KEY_BYTES = 4;
  private static final int ATTR_BYTES = 72;

  /** Bytes of the buffer that {@link #lookUp}, {@link #update} and {@link #delete} need. */
  public static final int ELEMENT_BYTES = 32;

  private static final int PROGRAM = 256;
  private static final int RETRIES = 100;

  private Bpf() {}

  /** A map with one value, which can be mapped into memory; −1 if the kernel refuses. */
  public static int createValue(SystemCalls calls, int valueBytes) {
    return create(calls, ARRAY, KEY_BYTES, valueBytes, 1, MAY_BE_MAPPED);
  }

  /** A ring buffer of all CPUs, a power of two of pages; −1 if the kernel refuses. */
  public static int createRing(SystemCalls calls, int bytes) {
    return create(calls, RING, 0, 0, bytes, 0);
  }

  /** A map of longs to values, which drops the least recently used; −1 if the kernel refuses. */
  public static int createCache(SystemCalls calls, int valueBytes, int entries) {
    return create(calls, LEAST_RECENTLY_USED_HASH, Long.BYTES, valueBytes, entries, 0);
  }

  /** A map of longs to values, with room for so many; −1 if the kernel refuses. */
  public static int createTable(SystemCalls calls, int valueBytes, int entries) {
    return create(calls, HASH, Long.BYTES, valueBytes, entries, 0);
  }

  /**
   * Copies a value out of a map.
   *
   * @param key where the key is
   * @param value where the value is written
   * @param attr a buffer of {@link #ELEMENT_BYTES}
   * @return whether it has one
   */
  public static boolean lookUp(
      SystemCalls calls, int map, NativeBuffer key, NativeBuffer value, NativeBuffer attr) {
    return element(calls, LOOKUP, map, key, value.address(), attr);
  }

  /**
   * Puts a value into a map; whether there was room. Parameters as of {@link #lookUp}.
   *
   * @param value the value
   */
  public static boolean update(
      SystemCalls calls, int map, NativeBuffer key, NativeBuffer value, NativeBuffer attr) {
    return element(calls, UPDATE, map, key, value.address(), attr);
  }

  /** Removes a key from a map, if it is there. Parameters as of {@link #lookUp}. */
  public static void delete(SystemCalls calls, int map, NativeBuffer key, NativeBuffer attr) {
    element(calls, DELETE, map, key, 0, attr);
  }

  private static boolean element(
      SystemCalls calls, int command, int map, NativeBuffer key, long value, NativeBuffer attr) {
    ByteBuffer bytes = attr.bytes();
    bytes.putInt(0, map);
    bytes.putLong(8, key.address());
    bytes.putLong(16, value);
    bytes.putLong(24, 0);
    return calls.bpf(command, attr.address(), ELEMENT_BYTES) == 0;
  }

  private static int create(
      SystemCalls calls, int type, int keyBytes, int valueBytes, int entries, int flags) {
    try (NativeBuffer attr = NativeBuffer.allocate(ATTR_BYTES)) {
      ByteBuffer bytes = attr.bytes();
      bytes.putInt(0, type);
      bytes.putInt(4, keyBytes);
      bytes.putInt(8, valueBytes);
      bytes.putInt(12, entries);
      bytes.putInt(16, flags);
      return calls.bpf(MAP_CREATE, attr.address(), ATTR_BYTES);
    }
  }

  /**
   * Sets a program on a perf event (PERF_EVENT_IOC_SET_BPF); {@link Libc#errno} has why it fails.
   */
  public static boolean attach(int event, int program) {
    return Libc.ioctl(event, IOC_SET_BPF, program) >= 0;
  }

  /**
   * Loads a program of a type; −1 if the kernel refuses. A signal makes the kernel stop verifying
   * (EAGAIN), and another profiler may send many, so it tries several times.
   */
  public static int load(SystemCalls calls, int type, BpfCode code) {
    int codeBytes = code.size() * BpfCode.BYTES;
    try (NativeBuffer attr = NativeBuffer.allocate(PROGRAM + codeBytes)) {
      ByteBuffer bytes = attr.bytes();
      // allows functions that read user memory
      byte[] license = "GPL".getBytes(StandardCharsets.US_ASCII);
      bytes.put(ATTR_BYTES, license);
      code.writeTo(bytes.slice(PROGRAM, codeBytes));
      bytes.putInt(0, type);
      bytes.putInt(4, code.size());
      bytes.putLong(8, attr.address() + PROGRAM);
      bytes.putLong(16, attr.address() + ATTR_BYTES);
      int program = calls.bpf(PROG_LOAD, attr.address(), ATTR_BYTES);
      for (int i = 0; i < RETRIES && program < 0 && Libc.errno() == Errno.EAGAIN; i++) {
        program = calls.bpf(PROG_LOAD, attr.address(), ATTR_BYTES);
      }
      return program;
    }
  }
}
