package stackweave.jfr.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallPatternsTest {
  @ParameterizedTest
  @CsvSource({
    "org.rocksdb.RocksDB::get*, org.rocksdb.RocksDB, get, true",
    "org.rocksdb.RocksDB::get*, org.rocksdb.RocksDB, getAll, true",
    "org.rocksdb.RocksDB::get*, org.rocksdb.RocksDB, put, false",
    "org.rocksdb.RocksDB::get*, org.rocksdb.RocksDBX, get, false",
    "org.rocksdb.RocksDB::get*, orgXrocksdb.RocksDB, get, false",
    "a.B::x;org.rocksdb.*::*, org.rocksdb.util.Sizes$Inner, size, true",
    "*::*, A, b, true",
    "*.B::*a*b*, p.q.B, xaxbx, true",
    "*.B::*a*b*, p.q.B, xbxax, false",
    "*.B::aab*, B, aab, false",
    "p.B::*aab, p.B, aaab, true",
    " a.B::c ; d.E::f , d.E, f, true",
    "a.B::c;d.E::f, a.B, f, false"
  })
  void starsStandForAnyCharacters(
      String patterns, String className, String method, boolean isMatch) {
    CallPatterns parsed = CallPatterns.parse(patterns);
    assertEquals(isMatch, parsed.matches(className, method));
    if (isMatch) {
      assertEquals(true, parsed.matchesClass(className));
      assertEquals(true, parsed.matchesClass(className.replace('.', '/')));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";",
        "a.B",
        "::x",
        "a.B::",
        "a/B::x",
        "a.B::x()",
        "a.B::x.y",
        "a.B:x",
        "a.B::x,y"
      })
  void whatIsNoPattern(String text) {
    assertNull(CallPatterns.parse(text));
  }

  @Test
  void soManyAndNoMore() {
    String one = "a.B::c;";
    assertNotNull(CallPatterns.parse(one.repeat(CallPatterns.MAX_PATTERNS)));
    assertNull(CallPatterns.parse(one.repeat(CallPatterns.MAX_PATTERNS + 1)));
  }
}
