package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.code.BlobCache;
import stackweave.hotspot.code.BlobReader;
import stackweave.hotspot.code.Nmethod;
import stackweave.hotspot.method.CallSites;
import stackweave.hotspot.method.JavaMethod;
import stackweave.hotspot.method.MethodCache;
import stackweave.hotspot.method.MethodReader;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.hotspot.unloading.CheckRounds;
import stackweave.hotspot.vmstructs.Field;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * A method of an unloaded class keeps its words until its memory is used again, which nothing
 * tells: a name that only dead code, or a word left over on a stack, vouched for is compared before
 * it is used again.
 */
class ReusedMethodsTest {
  /** What every JVM has compiled soon: methods of two classes that stay. */
  private static final Pattern STRING = listed("java.lang.String.hashCode\\(\\)I");

  private static final Pattern NAMED = listed("java.lang.StringLatin1.hashCode\\(\\[B\\)I");

  private final Vm vm = new Vm();
  private final Reused memory = new Reused();
  private final BlobReader blobs = new BlobReader(vm.layout(), vm.memory, vm.methods);
  private CheckRounds rounds;
  private MethodCache methods;

  ReusedMethodsTest() throws Exception {}

  /** The VM's memory, in which one method's words can be those of another one. */
  private final class Reused implements MemoryReader {
    private long from;
    private long with;

    @Override
    public long readLong(long address) throws UnreadableMemoryException {
      return vm.memory.readLong(moved(address));
    }

    @Override
    public void read(long address, byte[] target, int offset, int length)
        throws UnreadableMemoryException {
      vm.memory.read(moved(address), target, offset, length);
    }

    private long moved(long address) {
      return address >= from && address - from < vm.layout().methodSize
          ? address - from + with
          : address;
    }
  }

  private static Pattern listed(String method) {
    return Pattern.compile(" " + method + " \\[0x[0-9a-f]+, 0x([0-9a-f]+) - ");
  }

  @BeforeEach
  void openCache() {
    rounds = new CheckRounds(vm.hotspot.unloading(), null);
    methods =
        new MethodCache(
            new MethodReader(vm.layout(), memory, vm.methods), rounds, new UnwindCounters());
    rounds.tick(System.nanoTime());
  }

  @Test
  void whatDeadCodeNamedIsComparedForAFrame() throws Exception {
    Nmethod dead = compiled(STRING);
    JavaMethod method = methods.findNamedBy(dead, dead.method(), false);
    assertNotNull(method);
    reuse(dead.method());
    assertNotSame(method, methods.find(dead.method()));
  }

  @Test
  void whatAFrameShowedIsComparedForNewCode() throws Exception {
    Nmethod dead = compiled(STRING);
    JavaMethod method = methods.find(dead.method());
    assertNotNull(method);
    reuse(dead.method());
    Nmethod code = compiled(NAMED);
    assertNotSame(method, methods.findNamedBy(code, dead.method(), true));
  }

  @Test
  void whatALeftoverShowedIsComparedForAFrame() throws Exception {
    Nmethod dead = compiled(STRING);
    JavaMethod method = methods.findGuessed(dead.method());
    assertNotNull(method);
    reuse(dead.method());
    assertNotSame(method, methods.find(dead.method()));
  }

  @Test
  void whatLiveCodeNamedIsTrustedForAFrame() throws Exception {
    Nmethod code = compiled(STRING);
    JavaMethod method = methods.findNamedBy(code, code.method(), true);
    long reads = vm.memory.reads();
    assertEquals(method, methods.find(code.method()));
    assertEquals(reads, vm.memory.reads());
  }

  /** Until then it may be code that is taken apart, whose methods are freed after it was seen. */
  @Test
  void codeIsLiveIfItIsThereWhenAnUnloadingIsOver() throws Exception {
    Nmethod code = compiled(STRING);
    BlobCache cache = cache(memory);
    assertTrue(cache.isLive(code));
    unload();
    rounds.tick(System.nanoTime());
    assertFalse(cache.isLive(code), "not seen since the unloading");
    code.setCompared(rounds);
    assertFalse(cache.isLive(code), "seen right after the unloading");
    Thread.sleep(2_100);
    rounds.tick(System.nanoTime());
    assertFalse(cache.isLive(code), "not seen since it is over");
    code.setCompared(rounds);
    assertTrue(cache.isLive(code));
  }

  /** JDK 17 to 19 leave it in the code cache, marked, and may have freed what it names. */
  @Test
  void deadCodeIsNotLive() throws Exception {
    Field state = vm.layout().codeState;
    assumeTrue(state != null, "this JDK leaves none");
    Nmethod code = compiled(STRING);
    long address = vm.hotspot.codeCache().blobAt(code.codeBegin) + state.offset();
    for (int dead = 0; dead <= 4; dead++) {
      byte shown = (byte) dead;
      MemoryReader changed =
          new MemoryReader() {
            @Override
            public long readLong(long at) throws UnreadableMemoryException {
              return vm.memory.readLong(at);
            }

            @Override
            public void read(long at, byte[] target, int offset, int length)
                throws UnreadableMemoryException {
              vm.memory.read(at, target, offset, length);
              if (address >= at && address < at + length) {
                target[offset + (int) (address - at)] = shown;
              }
            }
          };
      assertEquals(dead < 3, cache(changed).isLive(code), "state " + dead);
    }
  }

  private BlobCache cache(MemoryReader reader) {
    return new BlobCache(
        vm.hotspot.codeCache(),
        new BlobReader(vm.layout(), reader, vm.methods),
        rounds,
        new UnwindCounters());
  }

  /** However soon: it may be in the place of code that was given up before the sample. */
  @Test
  void codeThatIsFirstReadAfterACollectionIsDoubtful() throws Exception {
    long before = System.nanoTime();
    System.gc();
    Nmethod code = compiled(STRING);
    assertTrue(code.isDoubtful(vm.hotspot.unloading(), before));
    assertFalse(code.isDoubtful(vm.hotspot.unloading(), System.nanoTime()));
  }

  /** Of a sample from before, a link must prove it. */
  @Test
  void whatIsFirstReadAfterAnUnloadingIsNotProven() throws Exception {
    long address = compiled(STRING).method();
    long sampled = System.nanoTime();
    unload();
    rounds.tick(System.nanoTime());
    rounds.tick(sampled);
    assertNull(methods.find(address));
    JavaMethod unproven = methods.findPresent(address);
    assertEquals("hashCode", vm.methods.get(unproven.id).name());
    rounds.tick(System.nanoTime());
    assertEquals(unproven, methods.find(address));
  }

  /** Nor is it if the VM was looked at only after the unloading, and samples were taken before. */
  @Test
  void whatIsFirstReadByAVmThatWasOpenedLaterIsNotProven() throws Exception {
    long address = compiled(STRING).method();
    long sampled = System.nanoTime();
    unload();
    Vm later = new Vm();
    later.hotspot.openedAfterSamples();
    CheckRounds since = new CheckRounds(later.hotspot.unloading(), null);
    MethodCache cache =
        new MethodCache(
            new MethodReader(later.layout(), later.memory, later.methods),
            since,
            new UnwindCounters());
    since.tick(sampled);
    assertTrue(since.isBeforeUnloading());
    assertNull(cache.find(address));
    since.tick(System.nanoTime());
    assertFalse(since.isBeforeUnloading());
    assertEquals("hashCode", later.methods.get(cache.find(address).id).name());
  }

  private static void unload() throws Exception {
    ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    long before = classes.getUnloadedClassCount();
    byte[] bytes;
    try (InputStream in = Gate.class.getResourceAsStream("Gate.class")) {
      bytes = in.readAllBytes();
    }
    for (int attempt = 0; attempt < 100; attempt++) {
      MethodHandles.lookup().defineHiddenClass(bytes, false);
      System.gc();
      if (classes.getUnloadedClassCount() > before) {
        return;
      }
      Thread.sleep(10);
    }
    throw new AssertionError("no class is unloaded");
  }

  /** And none of it costs a comparison where nothing changed. */
  @Test
  void whatAFrameShowedIsTrustedForTheNext() throws Exception {
    Nmethod code = compiled(STRING);
    JavaMethod method = methods.find(code.method());
    long reads = vm.memory.reads();
    assertEquals(method, methods.find(code.method()));
    assertEquals(reads, vm.memory.reads());
  }

  /** By which a caller proves what is first read after the sample. */
  @Test
  void aCallNamesTheClassOfTheMethodThatRuns() throws Exception {
    JavaMethod caller = methods.find(compiled(STRING).method());
    JavaMethod called = methods.find(compiled(NAMED).method());
    CallSites sites = new CallSites(vm.layout(), memory);
    int calls = 0;
    for (int bci = 0; bci < 100; bci++) {
      if (sites.calledAt(caller, bci) == called.key
          && sites.classCalledAt(caller, bci) == called.holderName) {
        calls++;
      }
    }
    // The other call of hashCode([B)I is that of StringUTF16.
    assertEquals(1, calls);
  }

  private void assertNotSame(JavaMethod before, JavaMethod now) {
    assertTrue(now == null || now.id != before.id, () -> vm.methods.get(now.id).toString());
  }

  private void reuse(long address) throws Exception {
    memory.with = compiled(NAMED).method();
    memory.from = address;
  }

  /** As the VM lists it. */
  private Nmethod compiled(Pattern method) throws Exception {
    for (int i = 0; i < 100_000; i++) {
      assertEquals(97, new String("a").hashCode());
    }
    for (int attempt = 0; attempt < 3_000; attempt++) {
      Object list =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "compilerCodelist",
                  null,
                  null);
      Matcher found = method.matcher(list.toString());
      if (found.find()) {
        long code = Long.parseUnsignedLong(found.group(1), 16);
        Nmethod nmethod = (Nmethod) blobs.read(vm.hotspot.codeCache().blobAt(code));
        nmethod.setRead(rounds);
        return nmethod;
      }
      Thread.sleep(100);
    }
    throw new AssertionError(method + " is not compiled");
  }
}
