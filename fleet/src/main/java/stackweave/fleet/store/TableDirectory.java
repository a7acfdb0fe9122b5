package stackweave.fleet.store;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;

/**
 * The directory of a fleet's tables. Each run writes directories of its own, which nobody reads
 * until a manifest names them. The manifest with the highest number holds; it is put under a name
 * that must be free, so that of two runs that began with the same manifest one fails. What no
 * manifest names is deleted a day later, when nobody reads it any more. Not thread-safe.
 */
public final class TableDirectory {
  private static final String MANIFESTS = "manifests";
  private static final String LOCK = "_lock";
  private static final Charset FILE_NAMES = Charset.forName(System.getProperty("sun.jnu.encoding"));
  private static final Pattern PATTERN = Pattern.compile("[\\[\\]{}*?]");

  /** A query that reads from an older manifest ends within this time. */
  private static final Duration KEPT = Duration.ofDays(1);

  private final Path path;
  private final FileSystem files;
  private final AtomicFiles atomic;

  private TableDirectory(Path path, FileSystem files, AtomicFiles atomic) {
    this.path = path;
    this.files = files;
    this.atomic = atomic;
  }

  /**
   * Opens a directory that has tables, or will have some.
   *
   * @throws FleetException if its file system can't hold tables; one line for users
   */
  public static TableDirectory open(String name, Configuration configuration)
      throws IOException, FleetException {
    HadoopPath path = HadoopPath.of(name, configuration);
    if (PATTERN.matcher(path.path().toUri().getPath()).find()) {
      throw new FleetException(
          "%s: has one of [ ] { } * ? in its path, which Spark takes as a pattern: choose a directory"
              + " of another name",
          path.path());
    }
    return new TableDirectory(path.path(), path.files(), AtomicFiles.of(path));
  }

  /** Its path with scheme. */
  public Path path() {
    return path;
  }

  /**
   * Takes the lock for a run that will write.
   *
   * @throws FleetException if another run has it
   */
  public AutoCloseable lock() throws IOException, FleetException {
    if (!files.mkdirs(new Path(path, MANIFESTS))) {
      throw new FleetException("%s: can't be made, or nothing can be written there", path);
    }
    AutoCloseable lock = atomic.lock(new Path(path, LOCK));
    if (lock == null) {
      throw new FleetException(
          "%s: another run writes these tables: wait until it has ended (on HDFS, a minute after"
              + " it was killed)",
          path);
    }
    return () -> {
      try {
        lock.close();
      } catch (IOException e) {
        // What the run has done is done, and the lock ends with the process.
      }
    };
  }

  /** The manifest that holds; one without directories if there is none. */
  public Manifest manifest() throws IOException, FleetException {
    while (true) {
      List<FileStatus> all = manifests();
      if (all.isEmpty()) {
        return Manifest.EMPTY;
      }
      try {
        return manifest(all.get(all.size() - 1).getPath());
      } catch (FileNotFoundException e) {
        // A newer one has replaced it a day ago: look again.
      }
    }
  }

  /**
   * The manifest that holds.
   *
   * @throws FleetException if there are no tables, or services whose directories this JVM can't
   *     read
   */
  public Manifest existing() throws IOException, FleetException {
    Manifest manifest = manifest();
    if (manifest.number() == 0) {
      throw new FleetException("%s: has no tables; Ingest makes them", path);
    }
    if (isOfMachine() && !FILE_NAMES.equals(StandardCharsets.UTF_8)) {
      for (String directory : manifest.samples()) {
        mustHaveNames(directory);
      }
    }
    return manifest;
  }

  /** Spark would show what it can read, without a word about the rest. */
  private void mustHaveNames(String directory) throws FleetException {
    String[] services = new File(new Path(path, directory).toUri().getPath()).list();
    for (String service : services == null ? new String[0] : services) {
      if (!isFileName(service)) {
        throw new FleetException(
            "%s: has services whose names can't be read in this locale: start Spark with"
                + " LC_ALL=C.UTF-8",
            path);
      }
    }
  }

  /** Whether the tables are in a machine's own file system. */
  public boolean isOfMachine() {
    return atomic instanceof LocalAtomicFiles;
  }

  /**
   * Whether a directory can be named after a service: the JDK has no letters for names of files but
   * those of its locale.
   */
  public static boolean isFileName(String service) {
    return FILE_NAMES.newEncoder().canEncode(service);
  }

  private Manifest manifest(Path file) throws IOException, FleetException {
    try (FSDataInputStream in = files.open(file)) {
      return Manifest.parse(file.toString(), in.readAllBytes());
    }
  }

  /** All manifests, the one that holds last. */
  private List<FileStatus> manifests() throws IOException {
    try {
      FileStatus[] all =
          files.listStatus(new Path(path, MANIFESTS), file -> file.getName().endsWith(".json"));
      Arrays.sort(all, Comparator.comparing(file -> file.getPath().getName()));
      return List.of(all);
    } catch (FileNotFoundException e) {
      return List.of();
    }
  }

  /** A name for a new batch: its time, and what no other run has. */
  public static String newBatch(Instant now) {
    return stamp(now) + "-" + UUID.randomUUID().toString().substring(0, 8);
  }

  /** A time as names of batches begin, which sort by it. */
  private static String stamp(Instant time) {
    return time.toString().replaceAll("[-:]|[.].*|Z", "");
  }

  /** Where a batch has a table. */
  public String place(Table table, String batch) {
    return new Path(path, table.directory(batch)).toString();
  }

  /** Where a batch keeps what it needs while it runs. */
  public Path temporary(String batch) {
    return new Path(path, "unfinished/" + Table.BATCH + "=" + batch);
  }

  /**
   * Makes a manifest the one that holds.
   *
   * @throws FleetException if another run has finished since the manifest was read from which this
   *     one was made, or has deleted what this one wrote
   */
  public void commit(Manifest next) throws IOException, FleetException {
    for (Table table : Table.values()) {
      List<String> all = next.directories(table);
      // Stores have no lock, so that a run of more than a day is not told from one that was killed.
      if (!all.isEmpty() && !files.exists(new Path(path, all.get(all.size() - 1)))) {
        throw new FleetException(
            "%s: this run has taken more than a day, and another one has deleted what it wrote: run"
                + " it again with fewer recordings",
            path);
      }
    }
    Path name = new Path(path, MANIFESTS + "/" + next.fileName());
    // A store may have taken it although its answer was lost, and then refuses the repetition.
    if (!atomic.putIfAbsent(name, next.json()) && !next.equals(manifest(name))) {
      throw new FleetException(
          "%s: another run has finished in the meantime, and this one has changed nothing: run it"
              + " again",
          path);
    }
  }

  /** Deletes what no manifest of the last day names. To be called with the lock. */
  public void clean(Instant now) throws IOException, FleetException {
    Set<String> named = new HashSet<>();
    List<FileStatus> all = manifests();
    long oldest = now.minus(KEPT).toEpochMilli();
    for (int i = 0; i < all.size(); i++) {
      // A manifest was in use until the next one came.
      boolean isNew = i == all.size() - 1 || all.get(i + 1).getModificationTime() >= oldest;
      if (!isNew) {
        files.delete(all.get(i).getPath(), false);
        continue;
      }
      Manifest manifest = manifest(all.get(i).getPath());
      for (Table table : Table.values()) {
        named.addAll(manifest.directories(table));
      }
    }
    // By their names, since stores do not know when directories changed.
    String first = Table.BATCH + "=" + stamp(now.minus(KEPT));
    for (Table table : Table.values()) {
      for (FileStatus batch : batches(new Path(path, table.label()))) {
        String name = batch.getPath().getName();
        if (name.compareTo(first) < 0 && !named.contains(table.label() + "/" + name)) {
          files.delete(batch.getPath(), true);
        }
      }
    }
    for (FileStatus batch : batches(temporary("").getParent())) {
      if (batch.getPath().getName().compareTo(first) < 0) {
        files.delete(batch.getPath(), true);
      }
    }
  }

  private FileStatus[] batches(Path parent) throws IOException {
    try {
      return files.listStatus(parent, file -> file.getName().startsWith(Table.BATCH + "="));
    } catch (FileNotFoundException e) {
      return new FileStatus[0];
    }
  }

  /** Deletes what a batch needed while it ran; if that fails, a run a day later does it. */
  public void deleteTemporary(String batch) {
    try {
      files.delete(temporary(batch), true);
    } catch (IOException e) {
      // The batch is whole, and its manifest may hold already.
    }
  }

  /** A table as a manifest has it, with the column {@link Table#BATCH}; empty if it has none. */
  public Dataset<Row> read(SparkSession spark, Manifest manifest, Table table) {
    List<String> directories = new ArrayList<>();
    for (String directory : manifest.directories(table)) {
      directories.add(new Path(path, directory).toString());
    }
    var columns = table.columns().add(Table.BATCH, DataTypes.StringType);
    return directories.isEmpty()
        ? spark.createDataFrame(List.of(), columns)
        : spark
            .read()
            .schema(columns)
            .option("basePath", new Path(path, table.label()).toString())
            .parquet(directories.toArray(String[]::new));
  }
}
