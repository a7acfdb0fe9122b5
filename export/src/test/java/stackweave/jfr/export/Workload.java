package stackweave.jfr.export;

import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import jdk.jfr.Recording;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.ModuleDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.jfr.store.Unpooled;

/**
 * A recording that looks like a JVM with much native code: each line a stack, frames separated by
 * {@code >}, a letter for the kind, and the number of samples first.
 */
public final class Workload {
  public static final SessionInfo SESSION =
      new SessionInfo(
          "test",
          "x86_64-linux-gnu",
          Unpooled.legend(
              "0=native,1=kernel,2=interpreted,3=C1,4=C2,5=inlined,6=native method,7=stub,8=unknown,9=continuation"),
          Unpooled.legend("0=complete,1=thread entry,2=truncated,3=unreadable memory"),
          "0,1",
          "0=running");

  private static final String KINDS = "nki12jms?";
  private static final String ENTRY =
      "n:clone3@libc.so.6>n:start_thread@libc.so.6>n:thread_native_entry(Thread*)@libjvm.so"
          + ">n:Thread::call_run()@libjvm.so>";
  private static final String JAVA =
      ENTRY
          + "n:JavaThread::thread_main_inner()@libjvm.so>n:thread_entry(JavaThread*, JavaThread*)"
          + "@libjvm.so>n:JavaCalls::call_virtual(JavaValue*, Handle, Klass*, Symbol*, Symbol*,"
          + " JavaThread*)@libjvm.so>n:JavaCalls::call_helper(JavaValue*, methodHandle const&,"
          + " JavaCallArguments*, JavaThread*)@libjvm.so>s:call_stub>i:java.lang.Thread.run>";
  private static final String POOL =
      JAVA
          + "2:java.util.concurrent.ThreadPoolExecutor$Worker.run>j:java.util.concurrent"
          + ".ThreadPoolExecutor.runWorker>j:com.example.orders.Job.run>";
  private static final String SNAPPY =
      POOL
          + "2:com.example.orders.Archive.store>j:org.xerial.snappy.Snappy.compress"
          + ">m:org.xerial.snappy.SnappyNative.rawCompress"
          + ">n:Java_org_xerial_snappy_SnappyNative_rawCompress__Ljava_lang_Object_2@libsnappyjava.so"
          + ">n:snappy::RawCompress(char const*, unsigned long, char*, unsigned long*)@libsnappyjava.so";
  private static final String DEEP =
      POOL
          + "2:com.example.orders.Pricing.price>1:com.example.orders.NativePricing.evaluate"
          + ">m:com.example.orders.NativePricing.evaluate0>n:Java_com_example_orders_evaluate0"
          + "@libpricing.so>n:evaluate_portfolio@libpricing.so";
  private static final String CALLBACK =
      DEEP
          + ">n:call_back@libpricing.so>n:jni_CallDoubleMethodV@libjvm.so>n:JavaCalls::call_helper("
          + "JavaValue*, methodHandle const&, JavaCallArguments*, JavaThread*)@libjvm.so>s:call_stub>";
  private static final String SYSCALL = ">k:entry_SYSCALL_64_after_hwframe>k:do_syscall_64>";

  private static final List<String> STACKS =
      List.of(
          "410 "
              + SNAPPY
              + ">n:snappy::internal::CompressFragment(char const*, unsigned long,"
              + " char*, unsigned short*, int)@libsnappyjava.so",
          "60 "
              + SNAPPY
              + ">n:snappy::internal::WorkingMemory::WorkingMemory(unsigned long)"
              + "@libsnappyjava.so>n:operator new(unsigned long)@libstdc++.so.6>n:malloc@libc.so.6",
          "35 " + SNAPPY + ">n:__memmove_avx_unaligned_erms@libc.so.6",
          "90 " + DEEP + ">n:cumulative_normal@libpricing.so>n:exp@libm.so.6",
          "150 " + DEEP + ">n:cumulative_normal@libpricing.so",
          "70 " + DEEP,
          "120 "
              + CALLBACK
              + "2:com.example.orders.Curve.rateAt>j:java.util.TreeMap.floorEntry"
              + ">j:java.util.TreeMap.getFloorEntry",
          "34 " + CALLBACK + "1:com.example.orders.Curve.rateAt>1:java.util.TreeMap.floorEntry",
          "12 " + CALLBACK + "i:com.example.orders.Curve.rateAt",
          "130 "
              + POOL
              + "2:com.example.orders.Parser.parse>j:com.fasterxml.jackson.core.json."
              + "UTF8StreamJsonParser.nextToken",
          "44 "
              + POOL
              + "2:com.example.orders.Parser.parse>2:java.lang.String.<init>>s:jbyte_disjoint_arraycopy",
          "38 "
              + POOL
              + "2:java.util.zip.Inflater.inflate>m:java.util.zip.Inflater.inflateBytesBytes"
              + ">n:Java_java_util_zip_Inflater_inflateBytesBytes@libzip.so>n:inflate@libz.so.1"
              + ">n:inflate_fast@libz.so.1",
          "80 "
              + JAVA
              + "2:com.example.net.Acceptor.loop>2:sun.nio.ch.EPollSelectorImpl.doSelect"
              + ">m:sun.nio.ch.EPoll.wait>n:Java_sun_nio_ch_EPoll_wait@libnio.so>n:epoll_wait@libc.so.6"
              + SYSCALL
              + "k:do_epoll_wait>k:schedule_hrtimeout_range>k:schedule",
          "55 "
              + JAVA
              + "2:com.example.net.Acceptor.loop>2:sun.nio.ch.SocketChannelImpl.write"
              + ">m:sun.nio.ch.SocketDispatcher.write0>n:Java_sun_nio_ch_SocketDispatcher_write0@libnio.so"
              + ">n:__write@libc.so.6"
              + SYSCALL
              + "k:ksys_write>k:vfs_write>k:sock_write_iter>k:tcp_sendmsg",
          "95 "
              + ENTRY
              + "n:JavaThread::thread_main_inner()@libjvm.so>n:CompileBroker::compiler_thread_loop()"
              + "@libjvm.so>n:C2Compiler::compile_method(ciEnv*, ciMethod*, int, bool, DirectiveSet*)"
              + "@libjvm.so>n:Compile::Optimize()@libjvm.so>n:PhaseIdealLoop::build_and_optimize()@libjvm.so",
          "42 "
              + ENTRY
              + "n:JavaThread::thread_main_inner()@libjvm.so>n:CompileBroker::compiler_thread_loop()"
              + "@libjvm.so>n:C2Compiler::compile_method(ciEnv*, ciMethod*, int, bool, DirectiveSet*)"
              + "@libjvm.so>n:Compile::Code_Gen()@libjvm.so>n:PhaseChaitin::Register_Allocate()@libjvm.so",
          "58 "
              + ENTRY
              + "n:WorkerThread::run()@libjvm.so>n:G1ParTask::work(unsigned int)@libjvm.so"
              + ">n:G1ParScanThreadState::trim_queue()@libjvm.so",
          "22 "
              + ENTRY
              + "n:WorkerThread::run()@libjvm.so>n:G1ParTask::work(unsigned int)@libjvm.so",
          "3 !2 n:unwound_so_far@libodd.so",
          "2 !3 n:no_cfi_here@libodd.so>n:inner@libodd.so");

  private Workload() {}

  /** Records the workload once. */
  public static void record(Path file) throws Exception {
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        long samples = 0;
        for (String stack : STACKS) {
          samples += write(store, stack);
        }
        store.status(
            new SamplerFigures(
                "perf",
                "",
                "",
                new Counters()
                    .set(Counter.INTERVAL, 10_000_000)
                    .set(Counter.TAKEN, samples)
                    .set(Counter.WRITTEN, samples)
                    .set(Counter.CPU_USED, 15_940_000_000L)
                    .set(Counter.CPU_COVERED, samples * 10_000_000)
                    .set(Counter.DRAIN_CPU, 12_000_000)
                    .set(Counter.FRAMES, 20 * samples)
                    .set(Counter.UNWIND_TIME, 3_000_000),
                Map.of(
                    Breakdown.ENDS,
                    Map.of("complete", samples - 5, "truncated", 3L, "unreadable memory", 2L))));
      }
      recording.dump(file);
    }
  }

  /** What is left of a program of 2.2 s on a busy machine: seven samples at its end. */
  public static void recordShort(Path file) throws Exception {
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        write(store, "7 n:late@libodd.so");
        store.status(
            new SamplerFigures(
                "timer",
                "",
                "recording 1 asks for engine 'foo', which is unknown",
                new Counters()
                    .set(Counter.INTERVAL, 1_000_000)
                    .set(Counter.TAKEN, 7)
                    .set(Counter.WRITTEN, 7)
                    .set(Counter.CPU_USED, 2_210_000_000L)
                    .set(Counter.CPU_COVERED, 70_000_000L)
                    .set(Counter.DRAIN_CPU, 12_000_000)
                    .set(Counter.FRAMES, 7)
                    .set(Counter.UNWIND_TIME, 3_000_000)
                    .set(Counter.CPU_MISSED, 1_900_000_000L)
                    .set(Counter.START_DELAY, 1_700_000_000L)
                    .set(Counter.INTERVAL_REACHED, 4_000_000L),
                Map.of(Breakdown.ENDS, Map.of("complete", 7L))));
      }
      recording.dump(file);
    }
  }

  /** Records {@code stacks} random stacks that make about {@code 20 * stacks} nodes. */
  public static void recordLarge(Path file, int stacks) throws Exception {
    Random random = new Random(7);
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(SESSION, new StoreLimits(4_000_000, 65_536, 9, 9))) {
        long module = module(store, "libbig.so");
        long thread = store.thread(1, "main", 1, false, 0, null);
        for (int i = 0; i < stacks; i++) {
          long node = EventStore.ROOT;
          int depth = 30 + random.nextInt(50);
          for (int frame = 0; frame < depth; frame++) {
            int choice = frame < 20 ? random.nextInt(1 + frame / 6) : random.nextInt(400);
            String name = "Type" + frame % 40 + "::operation_number_" + choice + "()";
            long method =
                frame % 5 == 2
                    ? store.method(
                        MethodDefinition.java("com.example.p" + frame, "m" + choice, "()V", 1, ""))
                    : store.method(MethodDefinition.symbol(module, name, 0));
            node = store.node(node, method, frame % 5 == 2 ? 4 : 0, -1, 0);
          }
          store.write(
              new SampleRecord()
                  .begin(CPU, System.nanoTime(), 10_000_000)
                  .stack(thread, node, 0, 0));
        }
      }
      recording.dump(file);
    }
  }

  /**
   * Records distinct stacks of 30 to 80 frames as a program has them: each leaves one before it
   * within the last frames and goes on elsewhere, and a function calls a few others. Common ones
   * come again. There are some six nodes for each stack.
   */
  public static void recordDistinct(Path file, int stacks) throws Exception {
    Random random = new Random(11);
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(SESSION, new StoreLimits(4_000_000, 65_536, 9, 9))) {
        long[] methods = new long[6_000];
        for (int i = 0; i < methods.length; i++) {
          methods[i] =
              i % 4 == 1
                  ? store.method(
                      MethodDefinition.symbol(
                          module(store, "libwork" + i % 16 + ".so"),
                          "work::Stage" + i / 40 + "::operation_number_" + i + "(int)",
                          0))
                  : store.method(
                      MethodDefinition.java(
                          "com.example.orders.part" + i / 200 + ".Service" + i / 20,
                          "process" + i,
                          "()V",
                          1,
                          ""));
        }
        long[] threads = new long[16];
        for (int i = 0; i < threads.length; i++) {
          threads[i] = store.thread(i + 1, "worker-" + i, i + 1, false, 0, null);
        }
        List<int[]> paths = new ArrayList<>();
        paths.add(new int[] {1});
        Set<Long> leaves = new HashSet<>();
        long[] found = new long[stacks];
        while (leaves.size() < stacks) {
          double early = random.nextDouble();
          int[] before = paths.get((int) (early * early * paths.size()));
          int kept =
              Math.max(
                  1,
                  before.length - random.nextInt(before.length > 30 ? 8 : 1 + before.length / 2));
          int depth = Math.min(80, Math.max(kept + 1, 30) + random.nextInt(9));
          int[] path = Arrays.copyOf(before, depth);
          long node = EventStore.ROOT;
          for (int frame = 0; frame < depth; frame++) {
            if (frame >= kept) {
              path[frame] = (path[frame - 1] * 31 + 7 * random.nextInt(6) + 1) % methods.length;
            }
            int kind = path[frame] % 4 == 1 ? 0 : 4;
            node = store.node(node, methods[path[frame]], kind, kind == 4 ? frame + 20 : -1, 0);
          }
          if (leaves.add(node)) {
            found[leaves.size() - 1] = node;
            paths.add(path);
          }
        }
        long begin = System.nanoTime() - 1_000_000_000_000L;
        for (int i = 0; i < 2 * stacks; i++) {
          double common = random.nextDouble();
          int stack = i < stacks ? i : (int) (common * common * common * stacks);
          store.write(
              new SampleRecord()
                  .begin(CPU, begin + i * 5_000_000L, 10_000_000)
                  .stack(threads[random.nextInt(threads.length)], found[stack], 0, 0));
        }
      }
      recording.dump(file);
    }
  }

  private static long write(EventStore store, String stack) {
    String[] parts = stack.split(" ", 2);
    long samples = Long.parseLong(parts[0]);
    String frames = parts[1];
    int end = 0;
    if (frames.startsWith("!")) {
      end = frames.charAt(1) - '0';
      frames = frames.substring(3);
    }
    long thread = store.thread(77, "worker", 9, false, 0, null);
    long node = EventStore.ROOT;
    for (String frame : frames.split(">(?=[nki12jms]:)")) {
      int kind = KINDS.indexOf(frame.charAt(0));
      String name = frame.substring(2);
      int at = name.lastIndexOf('@');
      MethodDefinition method;
      if (at > 0) {
        method =
            MethodDefinition.symbol(
                module(store, name.substring(at + 1)), name.substring(0, at), 0);
      } else if (kind == 1) {
        method = MethodDefinition.symbol(0, name, 0);
      } else if (kind == 7) {
        method = MethodDefinition.stub(name);
      } else {
        int dot = name.lastIndexOf('.');
        method =
            MethodDefinition.java(name.substring(0, dot), name.substring(dot + 1), "()V", 1, "");
      }
      node = store.node(node, store.method(method), kind, -1, 0);
    }
    for (long i = 0; i < samples; i++) {
      store.write(
          new SampleRecord().begin(CPU, System.nanoTime(), 10_000_000).stack(thread, node, end, 0));
    }
    return samples;
  }

  private static long module(EventStore store, String name) {
    return store.module(
        new ModuleDefinition("/usr/lib/" + name, "", 4096, 8192, "eh_frame", "", 10, ".symtab"));
  }
}
