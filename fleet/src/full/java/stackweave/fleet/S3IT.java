package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.RunningCommand;

/** Recordings and tables in a store that speaks S3: what its conditional writes promise. */
class S3IT {
  private static final String SUMS =
      "SELECT service, date, event, count(*) AS rows, sum(count) AS samples, sum(cpu_ns) AS cpu,"
          + " sum(wall_ns) AS wall, sum(weight) AS weight, count(DISTINCT stack_id) AS stacks"
          + " FROM samples JOIN stacks USING (stack_id)"
          + " GROUP BY service, date, event ORDER BY service, date, event";

  private static final String OUT = "s3a://fleet/tables";
  private static final int RECORDINGS = 3;

  @TempDir private Path directory;
  private int port;
  private String client;
  private RunningCommand store;
  private Path in;

  @BeforeEach
  void start() throws Exception {
    client = Parts.classPath("s3-client", directory);
    port = Parts.freePort();
    store =
        ForkedJvm.on(Parts.jdk(), directory)
            .options("-Xmx512m", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + directory)
            .options("-Dserver.address=127.0.0.1", "-Dserver.port=0", "-Dhttp.port=" + port)
            .options("-Dcom.adobe.testing.s3mock.store.initialBuckets=fleet")
            .classPath(Parts.classPath("s3-server", directory))
            .start("com.adobe.testing.s3mock.S3MockApplication");
    Parts.until(this::isOpen, store);
    in = directory.resolve("in");
    KeptRecordings.write(in, 0, RECORDINGS);
  }

  private boolean isOpen() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @AfterEach
  void stop() throws Exception {
    store.kill();
  }

  @Test
  void ofTwoRunsTheLaterLosesAndTablesAreThoseOnFile() throws Exception {
    Path pipe = Parts.pipe(directory.resolve("held"), "pipe.jfr");
    RunningCommand later = jvm().then(Ingest.class, in, pipe.getParent(), OUT).start();
    Parts.until(() -> list("tables/unfinished/").contains("<Key>"), later);
    jvm().then(Ingest.class, in, OUT).run().successfully();
    Files.write(pipe, new byte[1]);
    Parts.assertRefused(later.end(), "another run has finished in the meantime");
    Path local = directory.resolve("out");
    List<String> said =
        jvm()
            .then(Ingest.class, in, OUT)
            .then(Ingest.class, in, local)
            .then(Query.class, OUT, SUMS)
            .then(Query.class, local, SUMS)
            .run()
            .successfully()
            .outLines();
    assertTrue(said.get(0).startsWith("0 recordings read, 0 rejected, 3 known"), said.toString());
    List<String> queries = said.subList(2, said.size());
    int half = queries.size() / 2;
    assertEquals(queries.subList(half, queries.size()), queries.subList(0, half));
    assertTrue(half > RECORDINGS, said.toString());
  }

  /** What the store lists below a prefix. */
  private String list(String prefix) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + "/fleet?list-type=2&prefix=" + prefix);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void aStoreWithoutConditionalWritesIsRefused() throws Exception {
    Ended ended =
        jvm()
            .options("-Dspark.hadoop.fs.s3a.create.conditional.enabled=false")
            .then(Ingest.class, in, OUT)
            .run();
    Parts.assertRefused(ended, "can't write a file only if it does not exist yet");
  }

  private FleetJvm jvm() {
    return new FleetJvm(Parts.jdk(), directory, "local[2]")
        .options(
            "-cp",
            FleetJvm.classPath() + ":" + client,
            "-Dspark.hadoop.fs.s3a.endpoint=http://127.0.0.1:" + port,
            "-Dspark.hadoop.fs.s3a.endpoint.region=us-east-1",
            "-Dspark.hadoop.fs.s3a.path.style.access=true",
            "-Dspark.hadoop.fs.s3a.buffer.dir=" + directory,
            "-Dspark.hadoop.fs.s3a.access.key=any",
            "-Dspark.hadoop.fs.s3a.secret.key=any");
  }
}
