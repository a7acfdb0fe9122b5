package stackweave.jfr.export.report;

import java.util.regex.Pattern;

/** What libjvm is working on, by the names of its functions, in the order of precedence. */
enum Purpose {
  JIT("JIT compilation", "CompileBroker|C2Compiler|Compilation::|Compile::|Compiler::compile"),
  GC_THREAD(
      "GC",
      "GangWorker|WorkerThread::run|WorkerTask|GCTask|ConcurrentGCThread|ZWorker|ZDriver"
          + "|VM_G1|VM_GC|VM_Collect|VM_ParallelGC|VM_GenCollect|VM_Serial|VM_Z|VM_Shenandoah"),
  CLASSES(
      "class loading and linking",
      "ClassFileParser|SystemDictionary|ClassLoader|LinkResolver|ClassVerifier|Rewriter"
          + "|KlassFactory|InstanceKlass::(link|initialize)|JVM_(Define|Find)Class"),
  ALLOCATION(
      "allocation",
      "MemAllocator|ThreadLocalAllocBuffer|OptoRuntime::new_|Runtime1::new_|::allocate_instance"
          + "|InterpreterRuntime::_?new|newarray|mem_allocate"),
  GC("GC", "^(G1|PS|Z[A-Z]|Shenandoah|DefNew|Serial|Parallel|Generation)"),
  SAFEPOINTS("safepoints", "Safepoint|VMThread|VM_Operation|Handshake"),
  DEOPTIMIZATION("deoptimization", "Deoptimization"),
  LOCKS("locks and waiting", "ObjectMonitor|ObjectSynchronizer|Parker|Unsafe_(P|Unp)ark"),
  JFR("JFR", "^(Jfr|JFR|jfr)"),
  JNI("JNI functions", "^jni_|JNIHandles"),
  OTHER("other", "");

  private final String label;
  private final Pattern functions;

  Purpose(String label, String functions) {
    this.label = label;
    this.functions = Pattern.compile(functions);
  }

  String label() {
    return label;
  }

  /** Whether a function of libjvm is one of these. */
  boolean has(String symbol) {
    return this != OTHER && functions.matcher(symbol).find();
  }
}
