package stackweave.jfr.export.otlp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Commands;

/** Collectors that the JVM does not trust. */
class OtlpCertificateIT {
  @TempDir private Path directory;

  @Test
  void aCertificateThatNobodyTrustsIsNotTriedAgain() throws Exception {
    Path store = directory.resolve("key.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    String make = " -genkeypair -keyalg EC -dname CN=x -ext san=dns:localhost -storepass changeit";
    Commands.output(List.of((keytool + make + " -keystore " + store).split(" ")));
    KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, "changeit".toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    HttpsServer secure =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(context));
    AtomicInteger requests = new AtomicInteger();
    secure.createContext("/", exchange -> requests.incrementAndGet());
    secure.start();
    try {
      String address = "https://localhost:" + secure.getAddress().getPort();
      OtlpEndpointTest.assertFails(
          "can't be trusted: ", new OtlpEndpoint(address, false, Map.of()));
      assertEquals(0, requests.get());
    } finally {
      secure.stop(0);
    }
  }
}
