package stackweave.linux;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;

/**
 * Addresses of the code of loaded BPF programs, by bpf(2), which needs CAP_SYS_ADMIN;
 * /proc/kallsyms has their names but not their lengths. Must not be called under a seccomp filter,
 * which may kill for a call that ordinary services don't make; {@link CallPolicy} decides. Source:
 * include/uapi/linux/bpf.h, union bpf_attr and struct bpf_prog_info (Linux 4.18 and later).
 * Stateless.
 */
public final class BpfPrograms {

  private static final int PROG_GET_NEXT_ID = 11;
  private static final int PROG_GET_FD_BY_ID = 13;
  private static final int OBJ_GET_INFO_BY_FD = 15;

  /** Limit of programs that are read, at about 4 µs each. */
  private static final int MAX_PROGRAMS = 1024;

  /** Functions of one program; the kernel has at most 256 (BPF_MAX_SUBPROGS). */
  private static final int MAX_FUNCTIONS = 256;

  // union bpf_attr for these commands
  private static final int ATTR_BYTES = 16;
  private static final int NEXT_ID = 4;
  private static final int INFO_LENGTH = 4;
  private static final int INFO_ADDRESS = 8;

  // struct bpf_prog_info
  private static final int KSYM_COUNT = 104;
  private static final int LENGTH_COUNT = 108;
  private static final int KSYMS = 112;
  private static final int LENGTHS = 120;
  private static final int INFO_BYTES = 128;

  // the buffer
  private static final int INFO = ATTR_BYTES;
  private static final int ADDRESSES = INFO + INFO_BYTES;
  private static final int SIZES = ADDRESSES + MAX_FUNCTIONS * Long.BYTES;
  private static final int BUFFER_BYTES = SIZES + MAX_FUNCTIONS * Integer.BYTES;

  private BpfPrograms() {}

  /**
   * The ids of the programs, ascending; an id is never reused. Empty if the kernel doesn't tell.
   */
  public static int[] ids() {
    if (!mayAsk()) {
      return new int[0];
    }
    try (NativeBuffer buffer = NativeBuffer.allocate(BUFFER_BYTES)) {
      return ids(buffer);
    }
  }

  private static int[] ids(NativeBuffer buffer) {
    SystemCalls calls = SystemCalls.current().orElseThrow();
    int[] ids = new int[16];
    int count = 0;
    for (int id = 0; count < MAX_PROGRAMS; ) {
      clear(buffer, 0, ATTR_BYTES);
      buffer.bytes().putInt(0, id);
      if (calls.bpf(PROG_GET_NEXT_ID, buffer.address(), ATTR_BYTES) < 0) {
        break;
      }
      id = buffer.bytes().getInt(NEXT_ID);
      if (count == ids.length) {
        ids = Arrays.copyOf(ids, 2 * count);
      }
      ids[count++] = id;
    }
    return Arrays.copyOf(ids, count);
  }

  /**
   * Address and length in bytes of each function of these programs, alternating, as far as the
   * kernel tells.
   */
  public static long[] functions(int[] ids) {
    if (ids.length == 0 || !mayAsk()) {
      return new long[0];
    }
    long[] functions = new long[0];
    try (NativeBuffer buffer = NativeBuffer.allocate(BUFFER_BYTES)) {
      for (int id : ids) {
        int count = describe(id, buffer);
        int at = functions.length;
        functions = Arrays.copyOf(functions, at + 2 * count);
        for (int i = 0; i < count; i++) {
          functions[at++] = buffer.bytes().getLong(ADDRESSES + i * Long.BYTES);
          functions[at++] = buffer.bytes().getInt(SIZES + i * Integer.BYTES);
        }
      }
    }
    return functions;
  }

  /** Fills in addresses and sizes of a program's functions; returns how many. */
  private static int describe(int id, NativeBuffer buffer) {
    SystemCalls calls = SystemCalls.current().orElseThrow();
    ByteBuffer bytes = buffer.bytes();
    clear(buffer, 0, ATTR_BYTES);
    bytes.putInt(0, id);
    int fd = calls.bpf(PROG_GET_FD_BY_ID, buffer.address(), ATTR_BYTES);
    if (fd < 0) {
      return 0;
    }
    try {
      clear(buffer, 0, BUFFER_BYTES);
      bytes.putInt(0, fd);
      bytes.putInt(INFO_LENGTH, INFO_BYTES);
      bytes.putLong(INFO_ADDRESS, buffer.address() + INFO);
      bytes.putInt(INFO + KSYM_COUNT, MAX_FUNCTIONS);
      bytes.putInt(INFO + LENGTH_COUNT, MAX_FUNCTIONS);
      bytes.putLong(INFO + KSYMS, buffer.address() + ADDRESSES);
      bytes.putLong(INFO + LENGTHS, buffer.address() + SIZES);
      if (calls.bpf(OBJ_GET_INFO_BY_FD, buffer.address(), ATTR_BYTES) < 0
          || bytes.getInt(INFO_LENGTH) < INFO_BYTES) {
        return 0;
      }
      int count = Math.min(bytes.getInt(INFO + KSYM_COUNT), bytes.getInt(INFO + LENGTH_COUNT));
      return Math.max(0, Math.min(count, MAX_FUNCTIONS));
    } finally {
      Libc.close(fd);
    }
  }

  private static void clear(NativeBuffer buffer, int from, int to) {
    for (int at = from; at < to; at += Integer.BYTES) {
      buffer.bytes().putInt(at, 0);
    }
  }

  /**
   * Whether to ask: not without the capability, since security modules log each refusal, and not if
   * there is or may be a seccomp filter.
   */
  private static boolean mayAsk() {
    return CallPolicy.ofThread(Set.of()).allows(GuardedCall.BPF) && Capabilities.hasSysAdmin();
  }
}
