package stackweave.jfr.export.flamegraph;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A page in a headless Chromium, driven by its DevTools protocol over a WebSocket of the JDK: mouse
 * and keyboard as a person has them. Tests that start it are skipped where there is no Chromium.
 */
final class Browser implements AutoCloseable {
  private static final List<Path> PROGRAMS =
      List.of(
          Path.of("/usr/bin/chromium"),
          Path.of("/usr/bin/chromium-browser"),
          Path.of("/usr/bin/google-chrome"));
  private static final long MOST_SECONDS = 300;

  private final Process process;
  private final WebSocket socket;
  private final Answers answers = new Answers();
  private final String session;
  private int calls;

  private Browser(Process process, String address) throws Exception {
    this.process = process;
    this.socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(URI.create(address), answers)
            .get(MOST_SECONDS, TimeUnit.SECONDS);
    String target =
        call(null, "Target.createTarget", Map.of("url", "about:blank"))
            .get("targetId")
            .getAsString();
    session =
        call(null, "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
            .get("sessionId")
            .getAsString();
    call("Page.enable", Map.of());
    call("Runtime.enable", Map.of());
  }

  static boolean isThere() {
    return PROGRAMS.stream().anyMatch(Files::isExecutable);
  }

  /** Starts one; skips the test if there is none. */
  static Browser start(Path directory) throws Exception {
    assumeTrue(isThere(), "needs one of " + PROGRAMS);
    Path program = PROGRAMS.stream().filter(Files::isExecutable).findFirst().orElseThrow();
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--remote-debugging-port=0",
                "--user-data-dir=" + Files.createTempDirectory(directory, "browser"),
                "about:blank")
            .redirectErrorStream(true)
            .start();
    try {
      BufferedReader reader = process.inputReader();
      StringBuilder said = new StringBuilder();
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        int at = line.indexOf("ws://");
        if (at >= 0) {
          drain(reader);
          return new Browser(process, line.substring(at).strip());
        }
        said.append(line).append('\n');
      }
      throw new IOException(program + " ended: " + said);
    } catch (Exception e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** What it goes on to say must not fill the pipe. */
  private static void drain(BufferedReader reader) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (reader.readLine() != null) {
                  // Nothing of it is needed.
                }
              } catch (IOException e) {
                Thread.currentThread().interrupt();
              }
            },
            "browser-output");
    thread.setDaemon(true);
    thread.start();
  }

  /** Opens a page in a window of a size, and waits until it says that it is ready. */
  void open(Path page, String hash, int width, int height) throws Exception {
    window(width, height);
    answers.problems.setLength(0);
    call("Page.navigate", Map.of("url", "about:blank"));
    call("Page.navigate", Map.of("url", page.toUri() + (hash.isEmpty() ? "" : "#" + hash)));
    await("document.documentElement && document.documentElement.dataset.ready !== undefined");
  }

  /** Opens a page that isn't ours, and waits until it is complete. */
  void openOther(Path page, int width, int height) throws Exception {
    window(width, height);
    call("Page.navigate", Map.of("url", page.toUri().toString()));
    String isThere = "location.pathname === '" + page.toUri().getRawPath() + "'";
    await(isThere + " && document.readyState === 'complete'");
  }

  void window(int width, int height) throws Exception {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  void dark(boolean isDark) throws Exception {
    call(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
  }

  /** Waits until an expression is true. */
  void await(String expression) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
    while (!eval("!!(" + expression + ")").getAsBoolean()) {
      if (System.nanoTime() > until) {
        throw new AssertionError(expression + " did not come true; " + answers.problems);
      }
      Thread.sleep(20);
    }
  }

  /** The value of an expression in the page. */
  JsonElement eval(String expression) throws Exception {
    JsonObject answer =
        call(
            "Runtime.evaluate",
            Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
    if (answer.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + answer);
    }
    JsonElement value = answer.getAsJsonObject("result").get("value");
    return value == null ? com.google.gson.JsonNull.INSTANCE : value;
  }

  /** The text of an element of the page. */
  String text(String id) throws Exception {
    return eval("document.getElementById('" + id + "').textContent").getAsString();
  }

  /** Waits for the frame that the page draws next. */
  void frame() throws Exception {
    eval("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))");
  }

  void click(String selector) throws Exception {
    double[] at = middle(selector);
    click(at[0], at[1], 0);
  }

  /**
   * @param modifiers 8 for Shift, 2 for Ctrl
   */
  void click(double x, double y, int modifiers) throws Exception {
    mouse("mouseMoved", x, y, modifiers);
    mouse("mousePressed", x, y, modifiers);
    mouse("mouseReleased", x, y, modifiers);
    frame();
  }

  void move(double x, double y) throws Exception {
    mouse("mouseMoved", x, y, 0);
    frame();
  }

  void drag(double fromX, double toX, double y, int modifiers) throws Exception {
    mouse("mouseMoved", fromX, y, modifiers);
    mouse("mousePressed", fromX, y, modifiers);
    mouse("mouseMoved", (fromX + toX) / 2, y, modifiers);
    mouse("mouseMoved", toX, y, modifiers);
    mouse("mouseReleased", toX, y, modifiers);
    frame();
  }

  private void mouse(String type, double x, double y, int modifiers) throws Exception {
    boolean isMove = type.equals("mouseMoved");
    call(
        "Input.dispatchMouseEvent",
        Map.of(
            "type", type,
            "x", x,
            "y", y,
            "modifiers", modifiers,
            "button", isMove ? "none" : "left",
            "buttons", isMove ? 0 : 1,
            "clickCount", isMove ? 0 : 1));
  }

  /** Types text into what has the focus. */
  void type(String text) throws Exception {
    call("Input.insertText", Map.of("text", text));
    frame();
  }

  /** Presses a key, by its name in JavaScript. */
  void key(String key, int modifiers) throws Exception {
    String character = key.length() == 1 ? key : key.equals("Enter") ? "\r" : "";
    for (String type : List.of(character.isEmpty() ? "rawKeyDown" : "keyDown", "keyUp")) {
      call(
          "Input.dispatchKeyEvent",
          Map.of(
              "type", type,
              "key", key,
              "modifiers", modifiers,
              "text", type.equals("keyUp") ? "" : character));
    }
    frame();
  }

  /** The middle of an element, in the window. */
  double[] middle(String selector) throws Exception {
    String box = "document.querySelector('" + selector + "').getBoundingClientRect()";
    String array =
        eval("(b => [b.left + b.width / 2, b.top + b.height / 2].join())(" + box + ")")
            .getAsString();
    String[] parts = array.split(",");
    return new double[] {Double.parseDouble(parts[0]), Double.parseDouble(parts[1])};
  }

  byte[] screenshot() throws Exception {
    frame();
    return Base64.getDecoder()
        .decode(call("Page.captureScreenshot", Map.of("format", "png")).get("data").getAsString());
  }

  /** The page as it would be printed. */
  byte[] pdf() throws Exception {
    return Base64.getDecoder()
        .decode(
            call("Page.printToPDF", Map.of("printBackground", true, "landscape", true))
                .get("data")
                .getAsString());
  }

  /** Errors of the page's scripts, and dialogs; empty for none. */
  String problems() {
    return answers.problems.toString();
  }

  private JsonObject call(String method, Map<String, ?> parameters) throws Exception {
    return call(session, method, parameters);
  }

  private JsonObject call(String in, String method, Map<String, ?> parameters) throws Exception {
    int id = ++calls;
    JsonObject message = new JsonObject();
    message.addProperty("id", id);
    message.addProperty("method", method);
    message.add("params", new com.google.gson.Gson().toJsonTree(parameters));
    if (in != null) {
      message.addProperty("sessionId", in);
    }
    CompletableFuture<JsonObject> answer = new CompletableFuture<>();
    answers.waiting.put(id, answer);
    socket.sendText(message.toString(), true).get(MOST_SECONDS, TimeUnit.SECONDS);
    try {
      JsonObject whole = answer.get(MOST_SECONDS, TimeUnit.SECONDS);
      if (whole.has("error")) {
        throw new IOException(method + ": " + whole.get("error"));
      }
      return whole.getAsJsonObject("result");
    } catch (TimeoutException e) {
      throw new IOException(method + " was not answered; " + answers.problems, e);
    }
  }

  @Override
  public void close() {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
  }

  private static final class Answers implements WebSocket.Listener {
    private final Map<Integer, CompletableFuture<JsonObject>> waiting = new ConcurrentHashMap<>();
    private final StringBuffer problems = new StringBuffer();
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        JsonObject message = JsonParser.parseString(text.toString()).getAsJsonObject();
        text.setLength(0);
        if (message.has("id")) {
          CompletableFuture<JsonObject> answer = waiting.remove(message.get("id").getAsInt());
          if (answer != null) {
            answer.complete(message);
          }
        } else {
          String method = message.get("method").getAsString();
          boolean isError =
              method.equals("Runtime.exceptionThrown")
                  || method.equals("Page.javascriptDialogOpening")
                  || (method.equals("Runtime.consoleAPICalled")
                      && message.toString().contains("\"type\":\"error\""));
          if (isError) {
            problems.append(message).append('\n');
          }
        }
      }
      from.request(1);
      return null;
    }
  }
}
