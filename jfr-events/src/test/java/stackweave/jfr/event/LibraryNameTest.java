package stackweave.jfr.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LibraryNameTest {

  /** Names as real loaders make them, on Linux. */
  @ParameterizedTest
  @CsvSource({
    // rocksdbjni, duckdb, jffi, xgboost4j: createTempFile("librocksdbjni", ".so")
    "librocksdbjni10162033771412059837.so, librocksdbjni.so",
    "librocksdbjni9223372036854775807.so, librocksdbjni.so",
    "libduckdb_java5190346721088421693.so, libduckdb_java.so",
    "jffi7715339029912841903.so, jffi.so",
    // snappy-java, sqlite-jdbc: a UUID between the version and the name
    "snappy-1.1.10-168f49a3-564b-40c8-bf60-2da16c5899cb-libsnappyjava.so,"
        + " snappy-1.1.10-libsnappyjava.so",
    "sqlite-3.45.0.0-0a7c5a43-93d8-4d5a-9f0e-3f1f1b5d3a11-libsqlitejdbc.so,"
        + " sqlite-3.45.0.0-libsqlitejdbc.so",
    // zstd-jni: createTempFile("libzstd-jni-1.5.7-28", ".so")
    "libzstd-jni-1.5.7-2814349930010057756951.so, libzstd-jni-1.5.7.so",
    "libzstd-jni-1.5.7-284349930010057756951.so, libzstd-jni-1.5.7.so",
    "libzstd-jni-1.5.7-412332870585848678349.so, libzstd-jni-1.5.7.so",
    // lz4-java
    "liblz4-java-7823958071114191022.so, liblz4-java.so",
    "liblz4-java-10086270076445693355.so, liblz4-java.so",
    // netty, netty-tcnative, conscrypt: the number right behind the processor
    "libnetty_transport_native_epoll_x86_6414349930010057756951.so,"
        + " libnetty_transport_native_epoll_x86_64.so",
    "libnetty_transport_native_epoll_aarch_646434993001005775695.so,"
        + " libnetty_transport_native_epoll_aarch_64.so",
    "libnetty_tcnative_linux_x86_64842345678901234567.so, libnetty_tcnative_linux_x86_64.so",
    "libconscrypt_openjdk_jni-linux-x86_641162033771412059837.so,"
        + " libconscrypt_openjdk_jni-linux-x86_64.so",
    "librocksdbjni-linux6416203377141205983.so, librocksdbjni-linux64.so",
    // JNA, Arrow
    "jna14349930010057756951.tmp, jna.tmp",
    "jnilib-1434993001005775695.tmp, jnilib.tmp",
    // jansi, jline: Long.toHexString of a random number
    "jansi-2.4.1-d3f5a8c19b2e4701-libjansi.so, jansi-2.4.1-libjansi.so",
    "jlinenative-3.25.0-f5a8c19b2e4701-libjlinenative.so, jlinenative-3.25.0-libjlinenative.so",
    // hawtjni: the last part of the version becomes the suffix
    "libleveldbjni-64-1-7336493049104321917.8, libleveldbjni-64-1.8",
    // netlib, AWS: the library's own name as suffix; AWS has the time before the number
    "jniloader1434993001005775695netlib-native_system-linux-x86_64.so,"
        + " jniloadernetlib-native_system-linux-x86_64.so",
    "AWSCRT_17120000000001434993001005775695libaws-crt-jni.so, AWSCRT_libaws-crt-jni.so",
    "14349930010057756951-libjSerialComm.so, libjSerialComm.so",
    "libfoo.so.14349930010057756951, libfoo.so",
  })
  void loadersNames(String file, String name) {
    assertEquals(name, LibraryName.of("/tmp/" + file));
    assertEquals(name, LibraryName.of(file));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "libjvm.so",
        "libc.so.6",
        "libc-2.31.so",
        "libstdc++.so.6.0.33",
        "libicudata.so.72.1",
        "libLLVM-15.so.1",
        "libtorch_cpu-a3b1c2d4.so",
        "libstd-8d61b92a0c02f53d.so", // a hash of what it was made of: the same each time
        "libopenblas64_p-r0-0cf96a72.3.23.dev.so",
        "libcrypto-20240301123000.so",
        "libssl-1.0.2k-fips.so",
        "libfoo-2024.03.01.so",
        "libbar.20240301.123000-12.so",
        "libnetty_transport_native_epoll_x86_64.so",
        "libzstd-jni-1.5.7-28.so",
        "sqlite-3.45.0.0-libsqlitejdbc.so",
        "14349930010057756951.so", // nothing else is left
        "[vdso]",
        ""
      })
  void otherNamesStay(String file) {
    assertEquals(file, LibraryName.of(file));
    assertEquals(file, LibraryName.of("/opt/service/lib/" + file));
  }

  @Test
  void librariesOfTheSystemStay() {
    for (String directory : new String[] {"/usr/lib/x86_64-linux-gnu/", "/lib/", "/lib64/"}) {
      String file = "libmade7823958071114191022.so";
      assertEquals(file, LibraryName.of(directory + file));
    }
  }

  /** With what the JDK's own method makes up, of 1,000 files. */
  @Test
  void oneNameForAllTemporaryFiles(@TempDir Path directory) throws IOException {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      File file = File.createTempFile("libnative_x86_64", ".so", directory.toFile());
      String prefix = "a-" + i % 10 + "." + i % 7 + "-";
      names.add(LibraryName.of(file.getPath()));
      assertEquals(
          prefix + "libb.so", LibraryName.of("/tmp/" + prefix + UUID.randomUUID() + "-libb.so"));
      Files.delete(file.toPath());
    }
    assertEquals(Set.of("libnative_x86_64.so"), names);
  }

  @Test
  void oneNameForAllNumbers() {
    Random random = new Random(11);
    for (int i = 0; i < 10_000; i++) {
      String number = Long.toUnsignedString(random.nextLong());
      if (number.length() < 15) {
        continue; // 1 of 180,000, which could be a date
      }
      assertEquals("librocksdbjni.so", LibraryName.of("/tmp/librocksdbjni" + number + ".so"));
    }
  }
}
