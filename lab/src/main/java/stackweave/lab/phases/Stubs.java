package stackweave.lab.phases;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import stackweave.samples.work.Round;

/** Intrinsics: the VM's assembly code for copying, checksums, ciphers, digests, text and maths. */
final class Stubs implements Round {
  private static final SecretKeySpec KEY = new SecretKeySpec(new byte[16], "AES");

  private final byte[] bytes = new byte[20_000];
  private final byte[] target = new byte[20_000];
  private final Object[] objects = new Object[500];
  private final List<Checksum> checksums = List.of(new CRC32(), new CRC32C(), new Adler32());
  private final BigInteger number = new BigInteger(2_048, new Random(1));
  private final BigInteger modulus = new BigInteger(2_048, new Random(2)).setBit(0);

  Stubs() {
    new Random(5).nextBytes(bytes);
    Arrays.fill(objects, "x");
  }

  @Override
  public long run() {
    long sum = 0;
    try {
      for (int i = 0; i < 20; i++) {
        sum = 31 * sum + copied(i) + summed() + digested() + encrypted();
        sum += text() + maths() + arrays(i);
      }
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    return sum + number.modPow(BigInteger.valueOf(65_537), modulus).hashCode();
  }

  private long copied(int i) {
    for (int j = 0; j < 20; j++) {
      System.arraycopy(bytes, j & 15, target, i & 7, 10_000 + j);
    }
    String[] strings = new String[objects.length];
    System.arraycopy(objects, 0, strings, 0, objects.length);
    System.arraycopy(objects, 0, objects, 3, 400);
    return target[9_000] + bytes.clone()[77] + strings.length;
  }

  private long summed() {
    long sum = 0;
    for (Checksum checksum : checksums) {
      checksum.reset();
      checksum.update(bytes);
      sum += checksum.getValue();
    }
    return sum;
  }

  private long digested() throws GeneralSecurityException {
    long sum = 0;
    for (String name : List.of("MD5", "SHA-1", "SHA-256", "SHA-512", "SHA3-256")) {
      sum += Arrays.hashCode(MessageDigest.getInstance(name).digest(bytes));
    }
    return sum;
  }

  private long encrypted() throws GeneralSecurityException {
    Cipher chained = Cipher.getInstance("AES/CBC/NoPadding");
    chained.init(Cipher.ENCRYPT_MODE, KEY, new IvParameterSpec(new byte[16]));
    Cipher counted = Cipher.getInstance("AES/CTR/NoPadding");
    counted.init(Cipher.ENCRYPT_MODE, KEY, new IvParameterSpec(new byte[16]));
    Cipher authenticated = Cipher.getInstance("AES/GCM/NoPadding");
    authenticated.init(Cipher.ENCRYPT_MODE, KEY, new GCMParameterSpec(128, new byte[12]));
    return Arrays.hashCode(chained.doFinal(bytes))
        + Arrays.hashCode(counted.doFinal(bytes))
        + Arrays.hashCode(authenticated.doFinal(bytes));
  }

  private long text() {
    byte[] encoded = Base64.getEncoder().encode(bytes);
    String latin = new String(bytes, StandardCharsets.ISO_8859_1);
    String wide = latin.replace('a', '\u0416') + "\u20ac";
    return Base64.getDecoder().decode(encoded)[5]
        + latin.indexOf("zzzzzz")
        + latin.getBytes(StandardCharsets.UTF_8).length
        + wide.indexOf('\u20ac')
        + wide.compareTo(latin)
        + wide.hashCode()
        + new String(encoded, StandardCharsets.UTF_8).length();
  }

  private static long maths() {
    double sum = 0;
    for (int i = 0; i < 1_000; i++) {
      sum += Math.exp(Math.cos(i)) + Math.tan(i) + Math.log10(i + 1) + Math.pow(i, 0.7);
      sum += Math.log(i + 1) * Math.sin(i) + Math.fma(i, 0.5, 1);
    }
    return sum > 0 ? 1 : 0;
  }

  private long arrays(int i) {
    byte[] filled = new byte[bytes.length];
    Arrays.fill(filled, (byte) i);
    int[][] nested = new int[i % 3 + 1][i % 4 + 1];
    return Arrays.mismatch(bytes, filled)
        + Arrays.copyOf(objects, 700).length
        + nested.length
        + number.multiply(modulus).bitLength();
  }
}
