package stackweave.jfr.export.flamegraph;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.PageLoadStrategy;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.interactions.WheelInput.ScrollOrigin;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.print.PrintOptions;

/**
 * A flame graph's page in a headless Chromium, driven by Selenium: its mouse and keyboard go
 * through the browser's own input, as a person's do. Tests that start it are skipped where Chromium
 * or its driver is missing.
 */
class Browser implements AutoCloseable {
  private static final List<Path> PROGRAMS =
      List.of(
          Path.of("/usr/bin/chromium"),
          Path.of("/usr/bin/chromium-browser"),
          Path.of("/usr/bin/google-chrome"));
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Duration LONGEST = Duration.ofSeconds(300);

  /** It warns that it has no classes for the newest protocol, of which none are used. */
  private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium.devtools");

  private final ChromeDriver driver;

  Browser(Path directory) throws Exception {
    this(directory, PageLoadStrategy.NORMAL);
  }

  /**
   * @param waiting whether a page has loaded before it is used
   */
  Browser(Path directory, PageLoadStrategy waiting) throws Exception {
    assumeTrue(
        isThere(), "needs " + DRIVER + " and one of " + PROGRAMS + " (chromium, chromium-driver)");
    Path program = PROGRAMS.stream().filter(Files::isExecutable).findFirst().orElseThrow();
    ChromeOptions options = new ChromeOptions();
    options.setBinary(program.toFile());
    options.setPageLoadStrategy(waiting);
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--user-data-dir=" + Files.createTempDirectory(directory, "browser"));
    options.setCapability("goog:loggingPrefs", Map.of(LogType.BROWSER, "SEVERE"));
    SELENIUM.setLevel(Level.SEVERE);
    File driverFile = DRIVER.toFile();
    // With the driver's path given, Selenium looks for none elsewhere.
    driver =
        new ChromeDriver(
            new ChromeDriverService.Builder().usingDriverExecutable(driverFile).build(), options);
    driver.manage().timeouts().scriptTimeout(LONGEST).pageLoadTimeout(LONGEST);
  }

  static boolean isThere() {
    return Files.isExecutable(DRIVER) && PROGRAMS.stream().anyMatch(Files::isExecutable);
  }

  /** Opens a page in a window of a size, and waits until it says that it is ready. */
  final void open(Path page, String hash, int width, int height) throws Exception {
    openOther(page, hash, width, height);
    await("document.documentElement.dataset.ready !== undefined");
    frame();
  }

  /** Opens a page that isn't ours, and waits until it is complete. */
  final void openOther(Path page, String hash, int width, int height) {
    window(width, height);
    driver.get("about:blank"); // another fragment alone would not load the page again
    problems();
    driver.get(page.toUri() + (hash.isEmpty() ? "" : "#" + hash));
  }

  /** Goes to a page. */
  final void go(Path page) {
    driver.get(page.toUri().toString());
  }

  final void window(int width, int height) {
    command(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** Sets what the user's system prefers. */
  final void prefers(String feature, String value) {
    command(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", feature, "value", value))));
  }

  /** Waits until an expression is true. */
  final void await(String expression) throws Exception {
    long until = System.nanoTime() + LONGEST.toNanos();
    while (!eval("!!(" + expression + ")").getAsBoolean()) {
      if (System.nanoTime() > until) {
        throw new AssertionError(expression + " did not come true; " + problems());
      }
      Thread.sleep(20);
    }
  }

  /** The value of an expression in the page; of a promise, what becomes of it. */
  final JsonElement eval(String expression) {
    return new Gson().toJsonTree(driver.executeScript("return (" + expression + ");"));
  }

  /** Runs a script in the page. */
  final void run(String script) {
    driver.executeScript(script);
  }

  /** The text of an element of the page. */
  final String text(String id) {
    return eval("document.getElementById('" + id + "').textContent").getAsString();
  }

  /** Waits for the frame that the page draws next. */
  final void frame() {
    eval("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))");
  }

  final WebElement find(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  /** The element that has the focus. */
  final WebElement focused() {
    return driver.switchTo().activeElement();
  }

  /** Clicks on the first element that a selector finds; with a text, the first that begins so. */
  final void click(String selector, String text) {
    driver.findElements(By.cssSelector(selector)).stream()
        .filter(element -> element.getText().startsWith(text))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + selector + " with " + text))
        .click();
    frame();
  }

  final void click(String selector) {
    find(selector).click();
    frame();
  }

  /**
   * @param held keys that are held down, such as Shift
   */
  final void click(double x, double y, Keys... held) {
    act(actions -> at(actions, x, y).click(), held);
  }

  final void move(double x, double y) {
    act(actions -> at(actions, x, y));
  }

  final void drag(double fromX, double toX, double y, Keys... held) {
    act(
        actions ->
            at(at(at(actions, fromX, y).clickAndHold(), (fromX + toX) / 2, y), toX, y).release(),
        held);
  }

  final void wheel(double x, double y, int by) {
    ScrollOrigin at = ScrollOrigin.fromViewport((int) Math.round(x), (int) Math.round(y));
    act(actions -> actions.scrollFromOrigin(at, 0, by));
  }

  /** Types texts and keys into what has the focus. */
  final void type(CharSequence... keys) {
    act(actions -> actions.sendKeys(keys));
  }

  /** Presses a key while others are held down. */
  final void press(CharSequence key, Keys... held) {
    act(actions -> actions.sendKeys(key), held);
  }

  private void act(Consumer<Actions> what, Keys... held) {
    Actions actions = new Actions(driver, Duration.ZERO);
    for (Keys key : held) {
      actions.keyDown(key);
    }
    what.accept(actions);
    for (Keys key : held) {
      actions.keyUp(key);
    }
    actions.perform();
    frame();
  }

  private static Actions at(Actions actions, double x, double y) {
    return actions.moveToLocation((int) Math.round(x), (int) Math.round(y));
  }

  /** The middle of an element, in the window. */
  final double[] middle(String selector) {
    double[] box = box(selector);
    return new double[] {box[0] + box[2] / 2, box[1] + box[3] / 2};
  }

  /** Left, top, width and height of an element, in the window. */
  final double[] box(String selector) {
    String box = "document.querySelector('" + selector + "').getBoundingClientRect()";
    List<Double> parts = new ArrayList<>();
    eval("(b => [b.left, b.top, b.width, b.height])(" + box + ")")
        .getAsJsonArray()
        .forEach(part -> parts.add(part.getAsDouble()));
    return parts.stream().mapToDouble(each -> each).toArray();
  }

  final byte[] screenshot() {
    frame();
    return driver.getScreenshotAs(OutputType.BYTES);
  }

  /** The page as it would be printed. */
  final byte[] pdf() {
    PrintOptions options = new PrintOptions();
    options.setBackground(true);
    options.setOrientation(PrintOptions.Orientation.LANDSCAPE);
    return Base64.getDecoder().decode(driver.print(options).getContent());
  }

  /** Errors of the page's scripts since this was asked last, one a line; empty for none. */
  final String problems() {
    Stream<String> lines =
        driver.manage().logs().get(LogType.BROWSER).getAll().stream().map(Object::toString);
    return String.join("\n", lines.toList());
  }

  /** Gives an order by the browser's DevTools protocol. */
  final JsonObject command(String method, Map<String, Object> parameters) {
    return new Gson().toJsonTree(driver.executeCdpCommand(method, parameters)).getAsJsonObject();
  }

  @Override
  public final void close() {
    driver.quit();
  }
}
