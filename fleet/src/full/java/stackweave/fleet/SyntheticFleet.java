package stackweave.fleet;

import java.sql.Date;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;
import stackweave.fleet.store.Table;
import stackweave.fleet.store.TableDirectory;
import stackweave.jfr.export.Names;

/**
 * Tables of three services on six hosts in four days, and the rows that they are made of. In {@link
 * #ORDERS}, {@code Codec.encode} takes more since version 2.3.1, and host h6 spends more in
 * libcrypto; in the service 2024, {@code Cache.get} grows day by day. Not thread-safe.
 */
final class SyntheticFleet {
  static final String ORDERS = "orders";

  /** A name that must be escaped in a directory's name. */
  static final String ESCAPED = "a b/c=d%é";

  /** A name that looks like a number. */
  static final String NUMBER = "2024";

  static final List<String> SERVICES = List.of(ORDERS, ESCAPED, NUMBER);
  static final int DAYS = 4;
  static final LocalDate FIRST_DATE = LocalDate.of(2026, 11, 20);
  static final LocalDate CHOSEN_DATE = FIRST_DATE.plusDays(2);

  private static final long INTERVAL = 10_000_000;
  private static final String NO_BUILD = null;
  private static final String OLD_ZLIB = "0a0b0c0d";
  private static final String NEW_ZLIB = "1a1b1c1d";

  /** A frame, from the columns of the table that the views read. */
  record Frame(String kind, String library, String buildId, String text) {
    /** The text without what is of one JVM alone. */
    String name() {
      return Names.ofAllRuns(text);
    }

    private Row row() {
      return RowFactory.create(
          kind, null, text, null, library, null, buildId, null, null, null, false, false, null,
          text);
    }
  }

  /**
   * A row of samples.
   *
   * @param day counts from 0
   * @param endReason why the stack ends
   * @param weight ns of CPU time or waiting, or the weight of an event
   */
  record Sample(
      String service,
      String version,
      String host,
      int day,
      Instant minute,
      String event,
      String state,
      String stack,
      String endReason,
      long weight,
      long count,
      double squares) {
    boolean isComplete() {
      return endReason.equals("complete");
    }

    private String source() {
      return String.format("%08x%02d%s", service.hashCode(), day, host);
    }

    private Row row() {
      boolean isCpu = event.equals("cpu");
      boolean isTime = isCpu || event.equals("waiting");
      return RowFactory.create(
          version,
          host,
          4711L,
          service + "@" + host,
          source(),
          Timestamp.from(minute),
          "worker-#",
          state,
          event,
          CollectionConverters.asScala(Map.<String, String>of()),
          stack,
          endReason,
          isComplete(),
          isCpu ? weight : 0L,
          isTime ? weight : 0L,
          isTime ? 0L : weight,
          count,
          squares,
          service,
          Date.valueOf(FIRST_DATE.plusDays(day)));
    }
  }

  final Map<String, List<Frame>> stacks = new LinkedHashMap<>();
  final List<Sample> samples = new ArrayList<>();
  private final Random random = new Random(43);

  SyntheticFleet() {
    Frame main = java("com.example.Main.main");
    Frame encode = java("com.example.Codec.encode");
    Frame get = java("com.example.Cache.get");
    Frame walk = java("com.example.Tree.walk");
    stacks.put("encode", List.of(main, encode));
    stacks.put("get", List.of(main, get));
    stacks.put("recursive", List.of(main, walk, walk, walk, get));
    stacks.put("oldZlib", List.of(main, encode, zlib(OLD_ZLIB, "deflate [libz.so]")));
    stacks.put("newZlib", List.of(main, encode, zlib(NEW_ZLIB, "deflate [libz.so]")));
    stacks.put("unnamed", List.of(main, encode, zlib(NEW_ZLIB, "libz.so+0x4970")));
    stacks.put(
        "crypto",
        List.of(main, new Frame("native", "libcrypto.so", NO_BUILD, "sha [libcrypto.so]")));
    stacks.put(
        "kernel",
        List.of(
            main,
            new Frame("native", "libc.so.6", "2a2b", "write [libc.so.6]"),
            new Frame("kernel", null, null, "ksys_write [kernel]")));
    stacks.put("cut", List.of(new Frame("native", "libfoo.so", "3a3b", "libfoo.so+0x10"), get));
    stacks.put("empty", List.of());
    stacks.put(
        "generated17",
        List.of(
            main,
            java("com.example.Main$$Lambda$131/0x00007f978c09b358.run"),
            java("jdk.proxy2.$Proxy17.get")));
    stacks.put(
        "generated25",
        List.of(
            main,
            java("com.example.Main$$Lambda/0x000000008709a310.run"),
            java("jdk.proxy2.$Proxy9.get")));
    for (String service : SERVICES) {
      for (int host = 1; host <= 6; host++) {
        for (int day = 0; day < DAYS; day++) {
          for (int minute = 0; minute < 3; minute++) {
            addMinute(service, host, day, minute);
          }
        }
      }
    }
  }

  private static Frame java(String text) {
    return new Frame("C2", null, null, text);
  }

  private static Frame zlib(String buildId, String text) {
    return new Frame("native", "libz.so", buildId, text);
  }

  private void addMinute(String service, int host, int day, int minute) {
    boolean isNew = day >= 2;
    String version =
        switch (service) {
          case ORDERS -> isNew ? "2.3.1" : "2.3.0";
          case NUMBER -> isNew ? "10" : "9"; // not in the order of texts
          default -> null;
        };
    // The last minute of a UTC day is the next day east of Greenwich, the first one the day before.
    LocalTime time = LocalTime.of(minute * 23 / 2, minute * 59 / 2);
    Instant at = FIRST_DATE.plusDays(day).atTime(time).toInstant(ZoneOffset.UTC);
    Map<String, Integer> counts = new LinkedHashMap<>();
    counts.put("encode", service.equals(ORDERS) && isNew ? 120 : 60);
    counts.put("get", service.equals(NUMBER) ? 60 + 40 * day : 60);
    counts.put("recursive", 30);
    counts.put(host <= 3 ? "oldZlib" : "newZlib", 40);
    counts.put("unnamed", 9);
    counts.put("crypto", service.equals(ORDERS) && host == 6 ? 90 : 20);
    counts.put("kernel", 12);
    counts.put("cut", 7);
    counts.put("empty", 2);
    counts.put(host <= 3 ? "generated17" : "generated25", 10);
    counts.forEach(
        (stack, count) -> {
          String end =
              switch (stack) {
                case "cut" -> host <= 3 ? "truncated" : "no unwind table";
                case "empty" -> "no stack was read";
                default -> "complete";
              };
          // A key may stand in several rows.
          for (int part = 0; part < 1 + random.nextInt(2); part++) {
            add(service, version, host, day, at, "cpu", "on CPU", stack, end, count);
          }
        });
    if (!service.equals(ESCAPED)) {
      add(service, version, host, day, at, "waiting", "park", "get", "complete", 400);
      add(service, version, host, day, at, "waiting", "socket", "kernel", "complete", 50);
      add(service, version, host, day, at, "page-faults", "on CPU", "unnamed", "complete", 5);
      add(service, version, host, day, at, "page-faults", "on CPU", "recursive", "complete", 3);
    }
  }

  private void add(
      String service,
      String version,
      int host,
      int day,
      Instant minute,
      String event,
      String state,
      String stack,
      String endReason,
      int about) {
    int count = Math.max(1, (int) (about * (0.8 + 0.4 * random.nextDouble())));
    long weight = 0;
    double squares = 0;
    for (int i = 0; i < count; i++) {
      long one = event.equals("page-faults") ? 1 : INTERVAL / 2 + random.nextInt((int) INTERVAL);
      weight += one;
      squares += (double) one * one;
    }
    samples.add(
        new Sample(
            service,
            version,
            "h" + host,
            day,
            minute,
            event,
            state,
            stack,
            endReason,
            weight,
            count,
            squares));
  }

  /** The names of all frames, and that of a stack without any. */
  Set<String> functions() {
    Set<String> functions = new TreeSet<>(Set.of("[no frames]"));
    stacks.values().forEach(frames -> frames.forEach(frame -> functions.add(frame.name())));
    return functions;
  }

  /** CPU time that no sample stands for, by that which samples stand for. */
  static double unsampled(String host) {
    return host.equals("h2") ? 0.25 : 0.02;
  }

  /** What chooses {@link #ORDERS}, and one day. */
  static String predicate(boolean hasDate) {
    String date = hasDate ? " AND date = DATE '" + CHOSEN_DATE + "'" : "";
    return " WHERE service = '" + ORDERS + "'" + date;
  }

  /** Writes the tables, in two batches that have two days each, and one file that was rejected. */
  void write(SparkSession spark, String directory) throws Exception {
    TableDirectory tables =
        TableDirectory.open(directory, spark.sparkContext().hadoopConfiguration());
    for (int batch = 0; batch < 2; batch++) {
      int first = batch * 2;
      String name = "batch" + batch;
      Stream<Sample> own = samples.stream().filter(s -> s.day >= first && s.day < first + 2);
      List<Row> rows = own.map(Sample::row).toList();
      write(spark, tables, Table.SAMPLES, name, rows);
      boolean isFirst = batch == 0;
      write(spark, tables, Table.STACKS, name, isFirst ? stackRows() : List.of());
      write(spark, tables, Table.SOURCES, name, sourceRows(first, first + 2));
      write(spark, tables, Table.REJECTS, name, isFirst ? List.of() : List.of(reject()));
      commit(tables, name);
    }
  }

  /** Writes a batch in which nothing could be read. */
  static void writeRejectsAlone(SparkSession spark, String directory) throws Exception {
    TableDirectory tables =
        TableDirectory.open(directory, spark.sparkContext().hadoopConfiguration());
    for (Table table : Table.values()) {
      write(spark, tables, table, "b", table == Table.REJECTS ? List.of(reject()) : List.of());
    }
    commit(tables, "b");
  }

  private static void commit(TableDirectory tables, String batch) throws Exception {
    AutoCloseable lock = tables.lock();
    tables.commit(tables.manifest().with(batch, List.of(Table.values())));
    lock.close();
  }

  private static void write(
      SparkSession spark, TableDirectory tables, Table table, String batch, List<Row> rows) {
    var writer = spark.createDataFrame(rows, table.columns()).coalesce(1).write();
    if (table == Table.SAMPLES) {
      writer = writer.partitionBy("service", "date");
    }
    writer.parquet(tables.place(table, batch));
  }

  private List<Row> stackRows() {
    List<Row> rows = new ArrayList<>();
    stacks.forEach(
        (id, frames) ->
            rows.add(
                RowFactory.create(
                    id, (Object) frames.stream().map(Frame::row).toArray(Row[]::new))));
    return rows;
  }

  private List<Row> sourceRows(int fromDay, int toDay) {
    Map<String, Long> covered = new LinkedHashMap<>();
    Map<String, Sample> one = new LinkedHashMap<>();
    for (Sample sample : samples) {
      if (sample.event.equals("cpu") && sample.day >= fromDay && sample.day < toDay) {
        covered.merge(sample.source(), sample.weight, Long::sum);
        one.putIfAbsent(sample.source(), sample);
      }
    }
    List<Row> rows = new ArrayList<>();
    covered.forEach(
        (source, nanos) -> {
          Sample s = one.get(source);
          long used = nanos + Math.round(nanos * unsampled(s.host));
          Timestamp at = Timestamp.from(s.minute);
          rows.add(
              RowFactory.create(
                  source,
                  "/in/" + source + ".jfr",
                  1L,
                  at,
                  source,
                  1L,
                  at,
                  s.service,
                  s.version,
                  s.host,
                  4711L,
                  s.service + "@" + s.host,
                  1,
                  "25.0.1",
                  "1",
                  at,
                  at,
                  100L,
                  0L,
                  s.host.equals("h2") ? 20L : 0L,
                  used,
                  nanos,
                  0L,
                  null,
                  CollectionConverters.asScala(Map.of("taken", 100L))));
        });
    return rows;
  }

  private static Row reject() {
    Timestamp at = Timestamp.from(Instant.EPOCH);
    return RowFactory.create("/in/empty.jfr", 0L, at, "", at, "is empty");
  }
}
