package stackweave.lab.zoo.app;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Signature;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.conscrypt.Conscrypt;
import stackweave.samples.work.Round;

/** BoringSSL: ciphers, digests and signatures, for the most part in assembly. */
final class TlsRound implements Round {
  enum Work {
    CIPHERS,
    SIGNATURES
  }

  private static final int SIZE = 16_384;

  private final Work work;
  private Provider provider;
  private KeyPair rsa;
  private KeyPair curve;
  private byte turn;

  TlsRound(Work work) {
    this.work = work;
  }

  @Override
  public long run() {
    try {
      if (provider == null) {
        provider = Conscrypt.newProvider();
        rsa = pair("RSA", 2048);
        curve = pair("EC", 256);
      }
      return work == Work.CIPHERS ? ciphers() : signatures();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private KeyPair pair(String algorithm, int bits) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm, provider);
    generator.initialize(bits);
    return generator.generateKeyPair();
  }

  private long ciphers() throws GeneralSecurityException {
    byte[] text = new byte[SIZE];
    long sum = 0;
    for (int i = 0; i < 20; i++) {
      turn++; // a key and its nonce must not be used twice
      Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding", provider);
      byte[] nonce = Arrays.copyOf(new byte[] {turn, (byte) i}, 12);
      gcm.init(
          Cipher.ENCRYPT_MODE,
          new SecretKeySpec(new byte[16], "AES"),
          new GCMParameterSpec(128, nonce));
      sum += gcm.doFinal(text).length;
      Cipher chacha = Cipher.getInstance("ChaCha20/Poly1305/NoPadding", provider);
      chacha.init(
          Cipher.ENCRYPT_MODE,
          new SecretKeySpec(new byte[32], "ChaCha20"),
          new IvParameterSpec(nonce));
      sum += chacha.doFinal(text).length;
      MessageDigest digest = MessageDigest.getInstance("SHA-256", provider);
      digest.update(ByteBuffer.wrap(text));
      sum += digest.digest()[3];
      Mac mac = Mac.getInstance("HmacSHA512", provider);
      mac.init(new SecretKeySpec(new byte[32], "HmacSHA512"));
      sum += mac.doFinal(text)[3];
    }
    return sum;
  }

  private long signatures() throws GeneralSecurityException {
    byte[] text = new byte[64];
    return sign("SHA256withRSA", rsa, text) + sign("SHA256withECDSA", curve, text);
  }

  private long sign(String algorithm, KeyPair keys, byte[] text) throws GeneralSecurityException {
    Signature signature = Signature.getInstance(algorithm, provider);
    signature.initSign(keys.getPrivate());
    signature.update(text);
    byte[] signed = signature.sign();
    signature.initVerify(keys.getPublic());
    signature.update(text);
    return signature.verify(signed) ? 1 : 0;
  }
}
