package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.hotspot.vmstructs.SymbolAddresses;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** What is said of a VM that does not describe what frames need. */
class LayoutTest {

  @Test
  void knowsTheVersionOfThisJdk() throws Exception {
    assertEquals(Runtime.version().feature(), new Vm().hotspot.featureVersion());
  }

  @Test
  void namesAllThatIsMissingInOneLine() throws Exception {
    Vm vm = new Vm();
    MemoryReader hiding =
        new Hiding(vm.memory, List.of("_log2_segment_size", "_code_size", "_pool_holder"));
    UnsupportedVmException e =
        assertThrows(UnsupportedVmException.class, () -> HotSpot.open(vm.modules.libjvm(), hiding));
    assertEquals(
        "this JDK is not supported for Java frames: missing CodeHeap::_log2_segment_size,"
            + " ConstMethod::_code_size, ConstantPool::_pool_holder",
        e.getMessage());
  }

  @Test
  void namesBothNamesOfWhatChangedItsName() throws Exception {
    Vm vm = new Vm();
    MemoryReader hiding = new Hiding(vm.memory, List.of("_osthread"));
    UnsupportedVmException e =
        assertThrows(UnsupportedVmException.class, () -> HotSpot.open(vm.modules.libjvm(), hiding));
    assertTrue(e.getMessage().endsWith("missing JavaThread::_osthread or Thread::_osthread"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Abstract_VM_Version::_vm_major_version",
        "Abstract_VM_Version::_s_internal_vm_info_string"
      })
  void namesWhatTheVmDoesNotSayOfItself(String entry) throws Exception {
    Vm vm = new Vm();
    MemoryReader hiding = new HiddenEntry(vm.modules.libjvm(), vm.memory, entry);
    UnsupportedVmException e =
        assertThrows(UnsupportedVmException.class, () -> HotSpot.open(vm.modules.libjvm(), hiding));
    assertEquals("this JDK is not supported for Java frames: missing " + entry, e.getMessage());
  }

  @Test
  void namesEverySymbolThatIsNotExported() throws Exception {
    Vm vm = new Vm();
    Set<String> asked = new TreeSet<>();
    HotSpot.open(
        name -> {
          asked.add(name);
          return vm.modules.libjvm().addressOf(name);
        },
        vm.memory);
    assertTrue(asked.contains("gHotSpotVMStructs"), asked::toString);
    for (String symbol : asked) {
      SymbolAddresses without =
          name -> name.equals(symbol) ? 0 : vm.modules.libjvm().addressOf(name);
      UnsupportedVmException e =
          assertThrows(UnsupportedVmException.class, () -> HotSpot.open(without, vm.memory));
      assertEquals(
          "this JDK is not supported for Java frames: missing symbol " + symbol, e.getMessage());
    }
  }

  @Test
  void anotherProcessorIsRefusedInOneLine() throws Exception {
    Vm vm = new Vm();
    MemoryReader other =
        new MemoryReader() {
          @Override
          public long readLong(long address) throws UnreadableMemoryException {
            return vm.memory.readLong(address);
          }

          @Override
          public void read(long address, byte[] target, int offset, int length)
              throws UnreadableMemoryException {
            vm.memory.read(address, target, offset, length);
            String text = new String(target, offset, length, StandardCharsets.ISO_8859_1);
            byte[] changed =
                text.replace(" for linux-amd64 JRE ", " for linux-s390x JRE ")
                    .getBytes(StandardCharsets.ISO_8859_1);
            System.arraycopy(changed, 0, target, offset, length);
          }
        };
    UnsupportedVmException e =
        assertThrows(UnsupportedVmException.class, () -> HotSpot.open(vm.modules.libjvm(), other));
    assertEquals(
        "this JDK is not supported for Java frames: frames of linux-s390x are not known,"
            + " only those of linux-amd64 and linux-aarch64",
        e.getMessage());
  }

  @Test
  void aLibraryWithoutTablesIsNotSupported() throws Exception {
    Vm vm = new Vm();
    UnsupportedVmException e =
        assertThrows(UnsupportedVmException.class, () -> HotSpot.open(name -> 0, vm.memory));
    assertTrue(e.getMessage().startsWith("this JDK is not supported for Java frames: missing "));
  }

  @Test
  void unreadableTablesAreNotSupported() throws Exception {
    Vm vm = new Vm();
    assertThrows(UnsupportedVmException.class, () -> HotSpot.open(name -> 8, vm.memory));
  }

  /** Memory in which some strings read differently. */
  private record Hiding(MemoryReader memory, List<String> names) implements MemoryReader {
    private static final int MARGIN = 64;

    @Override
    public long readLong(long address) throws UnreadableMemoryException {
      return memory.readLong(address);
    }

    @Override
    public void read(long address, byte[] target, int offset, int length)
        throws UnreadableMemoryException {
      memory.read(address, target, offset, length);
      byte[] wide = new byte[length + 2 * MARGIN];
      try {
        memory.read(address - MARGIN, wide, 0, wide.length);
      } catch (UnreadableMemoryException e) {
        return; // at the edge of a mapping: no strings of libjvm
      }
      for (String name : names) {
        byte[] bytes = ("\0" + name + "\0").getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i + bytes.length <= wide.length; i++) {
          int first = i + 1 - MARGIN;
          if (first >= 0
              && first < length
              && Arrays.equals(wide, i, i + bytes.length, bytes, 0, bytes.length)) {
            target[offset + first] = 'X';
          }
        }
      }
    }
  }
}
