package stackweave.lab.zoo.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import stackweave.samples.work.Round;

/** RocksDB: writes, reads, a walk over all keys, a flush now and then. */
final class RocksRound implements Round {
  private static final int KEYS = 2_000;

  private RocksDB database;
  private int turns;

  @Override
  public long run() {
    try {
      if (database == null) {
        Path directory = Files.createTempDirectory("zoo-rocks");
        directory.toFile().deleteOnExit();
        RocksDB.loadLibrary();
        database =
            RocksDB.open(
                new Options().setCreateIfMissing(true), directory.resolve("db").toString());
      }
      for (int i = 0; i < KEYS; i++) {
        database.put(key(i * 7919 % KEYS), new byte[100]);
      }
      long sum = 0;
      for (int i = 0; i < KEYS; i++) {
        sum += database.get(key(i)).length;
      }
      try (RocksIterator all = database.newIterator()) {
        for (all.seekToFirst(); all.isValid(); all.next()) {
          sum += all.key().length;
        }
      }
      if (++turns % 20 == 0) {
        try (FlushOptions flush = new FlushOptions()) {
          database.flush(flush);
        }
      }
      return sum;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(8).putLong(number).array();
  }
}
