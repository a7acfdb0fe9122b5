package stackweave.benchmarks.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Namespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine;
import stackweave.agent.cli.Main;

/** Kubernetes takes the manifests of the pages, by its own schemas, and we their commands. */
class ManifestsTest {
  private static final Path MANIFESTS = Page.ROOT.resolve("docs/examples/kubernetes");

  private static List<JsonObject> manifests() throws IOException {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    List<JsonObject> manifests = new ArrayList<>();
    try (Stream<Path> files = Files.list(MANIFESTS)) {
      for (Path file : files.toList()) {
        new Yaml(new SafeConstructor(options))
            .loadAll(Files.readString(file))
            .forEach(manifest -> manifests.add(new Gson().toJsonTree(manifest).getAsJsonObject()));
      }
    }
    assertFalse(manifests.isEmpty());
    return manifests;
  }

  private static void check(JsonObject manifest) throws IOException {
    String type =
        manifest.get("apiVersion").getAsString() + " " + manifest.get("kind").getAsString();
    switch (type) {
      case "v1 Namespace" -> V1Namespace.validateJsonElement(manifest);
      case "apps/v1 DaemonSet" -> V1DaemonSet.validateJsonElement(manifest);
      case "apps/v1 Deployment" -> V1Deployment.validateJsonElement(manifest);
      case "batch/v1 CronJob" -> V1CronJob.validateJsonElement(manifest);
      default -> throw new IllegalArgumentException(type);
    }
  }

  /** Those that make pods. */
  private static List<JsonObject> workloads() throws IOException {
    return manifests().stream().filter(manifest -> manifest.has("spec")).toList();
  }

  /** The specification of the pods. */
  private static JsonObject pod(JsonObject manifest) {
    JsonObject spec = manifest.getAsJsonObject("spec");
    if (spec.has("jobTemplate")) {
      spec = spec.getAsJsonObject("jobTemplate").getAsJsonObject("spec");
    }
    return spec.getAsJsonObject("template").getAsJsonObject("spec");
  }

  private static List<JsonObject> containers(JsonObject manifest) {
    List<JsonObject> containers = new ArrayList<>();
    for (String list : List.of("containers", "initContainers")) {
      if (pod(manifest).has(list)) {
        pod(manifest).getAsJsonArray(list).forEach(each -> containers.add(each.getAsJsonObject()));
      }
    }
    return containers;
  }

  private static Set<String> names(JsonArray objects) {
    Set<String> names = new HashSet<>();
    objects.forEach(each -> names.add(each.getAsJsonObject().get("name").getAsString()));
    return names;
  }

  @Test
  void fieldsAreThoseOfTheSchemas() throws IOException {
    for (JsonObject manifest : manifests()) {
      check(manifest);
    }
  }

  @Test
  void aFieldThatTheyLackIsRefused() throws IOException {
    for (JsonObject manifest : workloads()) {
      JsonObject wrong = containers(manifest).get(0);
      wrong.add("volumeMount", wrong.remove("volumeMounts"));
      Exception e = assertThrows(IllegalArgumentException.class, () -> check(manifest));
      assertTrue(e.getMessage().contains("`volumeMount`"), e.getMessage());
    }
  }

  @Test
  void podsHaveTheVolumesThatTheirContainersMount() throws IOException {
    for (JsonObject manifest : workloads()) {
      Set<String> mounted = new HashSet<>();
      for (JsonObject container : containers(manifest)) {
        mounted.addAll(names(container.getAsJsonArray("volumeMounts")));
      }
      assertEquals(names(pod(manifest).getAsJsonArray("volumes")), mounted);
    }
  }

  @Test
  void podsAreThoseThatAreSelected() throws IOException {
    for (JsonObject manifest : workloads()) {
      JsonObject spec = manifest.getAsJsonObject("spec");
      if (spec.has("selector")) {
        JsonObject labels =
            spec.getAsJsonObject("template").getAsJsonObject("metadata").getAsJsonObject("labels");
        spec.getAsJsonObject("selector")
            .getAsJsonObject("matchLabels")
            .entrySet()
            .forEach(label -> assertEquals(label.getValue(), labels.get(label.getKey())));
      }
    }
  }

  @Test
  void commandsOfTheAgentsJarAreUnderstood() throws IOException {
    int commands = 0;
    for (JsonObject manifest : workloads()) {
      for (JsonObject container : containers(manifest)) {
        List<String> words = words(container);
        int jar = words.indexOf("/opt/stackweave/stackweave-agent.jar");
        if (jar >= 0) {
          commands++;
          new CommandLine(new Main(null))
              .parseArgs(words.subList(jar + 1, words.size()).toArray(String[]::new));
        }
      }
    }
    assertEquals(2, commands);
  }

  /** Those of the command, or of the shell's line that ends with it. */
  private static List<String> words(JsonObject container) {
    List<String> words = new ArrayList<>();
    JsonArray all = new JsonArray();
    for (String list : List.of("command", "args")) {
      if (container.has(list)) {
        all.addAll(container.getAsJsonArray(list));
      }
    }
    for (JsonElement word : all) {
      boolean isScript = word.getAsString().contains("exec ");
      String text = word.getAsString().replace("\\\n", " ").replace("\"$pid\"", "4711");
      words.addAll(isScript ? List.of(text.strip().split("[\\s']+")) : List.of(text));
    }
    return words;
  }
}
