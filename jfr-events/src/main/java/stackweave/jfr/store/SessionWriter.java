package stackweave.jfr.store;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.UUID;
import stackweave.jfr.event.InlineText;
import stackweave.jfr.event.Session;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.store.output.EventOutput;

/** Writes the session event, with facts of the process and legends of codes, into each chunk. */
final class SessionWriter {
  private final SessionInfo info;
  private final String uuid = randomUuid();
  private final long pid;
  private final long jvmStart;
  private String jdk;
  private String startedWith = "";

  /** Number of the last chunk that has the event. */
  private int written;

  /** Of this process. */
  SessionWriter(SessionInfo info) {
    this(
        SampledProcess.OWN,
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
        info);
  }

  SessionWriter(SampledProcess process, String jdk, SessionInfo info) {
    this.info = info;
    this.pid = process.innermostPid();
    this.jvmStart = process.startMillis();
    this.jdk = jdk;
  }

  /** Sets name and version of the JVM, if they were not known. */
  void nameJvm(String name) {
    jdk = jdk.isEmpty() ? name : jdk;
  }

  /** Sets what names the service, see {@link Session#startedWith}. */
  void nameService(String facts) {
    startedWith = facts;
  }

  /** The session's id. */
  String uuid() {
    return uuid;
  }

  /** Commits the event, unless the chunk has it. */
  void emit(int chunk, EventOutput output) {
    if (written == chunk) {
      return;
    }
    written = chunk;
    Session event = new Session();
    event.uuid = InlineText.of(uuid);
    event.pid = pid;
    event.jvmStart = jvmStart;
    event.schemaVersion = Session.SCHEMA_VERSION;
    event.jdk = InlineText.of(jdk);
    event.abi = InlineText.of(info.abi());
    event.agentVersion = InlineText.of(info.agentVersion());
    event.startedWith = InlineText.of(startedWith);
    event.kindLegend = InlineText.of(info.kindLegend());
    event.endLegend = InlineText.of(info.endLegend());
    event.completeEnds = InlineText.of(info.completeEnds());
    event.stateLegend = InlineText.of(info.stateLegend());
    event.foundLegend = InlineText.of(info.foundLegend());
    event.guesses = InlineText.of(info.guesses());
    output.commit(event);
  }

  /** A random UUID from the kernel, because the JDK's SecureRandom keeps its device files open. */
  private static String randomUuid() {
    // Not by java.nio, whose buffers count against -XX:MaxDirectMemorySize.
    try (InputStream in = new FileInputStream("/proc/sys/kernel/random/uuid")) {
      return new String(in.readNBytes(64), StandardCharsets.ISO_8859_1).strip();
    } catch (IOException e) {
      // /proc/sys is missing, for instance with systemd's ProcSubset=pid. A repetition need only be
      // unlikely.
      SplittableRandom random =
          new SplittableRandom(System.nanoTime() ^ SampledProcess.OWN.innermostPid() << 32);
      return new UUID(random.nextLong(), random.nextLong()).toString();
    }
  }
}
