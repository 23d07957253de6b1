package dev.skerry.tools.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Chromium without a window, spoken to over WebDriver. It notes what pages say on the console and every request that
 * they make. One thread.
 */
public final class Browser implements AutoCloseable {
    private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process driver;
    private final String session;

    private Browser(final Process driver, final int port) throws IOException {
        this.driver = driver;
        final Map<String, Object> options = Map.of("args", List.of("--headless=new", "--no-sandbox", "--disable-gpu",
            "--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking"));
        final String all = "http://127.0.0.1:" + port + "/session";
        final JsonNode made = call("POST", all, Map.of("capabilities", Map.of("alwaysMatch", Map.of(
            "goog:chromeOptions", options, "goog:loggingPrefs", Map.of("browser", "ALL", "performance", "ALL")))));
        this.session = all + "/" + made.get("sessionId").asText();
        cdp("Network.enable", Map.of());
    }

    /** Whether Chromium and its driver are installed. */
    public static boolean isThere() {
        return find("chromium").or(() -> find("google-chrome")).isPresent() && find("chromedriver").isPresent();
    }

    private static Optional<Path> find(final String program) {
        return List.of(System.getenv().getOrDefault("PATH", "").split(":")).stream()
            .map(folder -> Path.of(folder, program)).filter(Files::isExecutable).findFirst();
    }

    public static Browser start() throws IOException {
        final Process driver = new ProcessBuilder(find("chromedriver").orElseThrow().toString(), "--port=0")
            .redirectErrorStream(true).start();
        final BufferedReader said = new BufferedReader(new InputStreamReader(driver.getInputStream(),
            StandardCharsets.UTF_8));
        String line = said.readLine();
        while (line != null) {
            final Matcher started = STARTED.matcher(line);
            if (started.find()) {
                Thread.ofVirtual().start(() -> said.lines().forEach(_ -> { }));
                return new Browser(driver, Integer.parseInt(started.group(1)));
            }
            line = said.readLine();
        }
        throw new IOException("chromedriver did not start");
    }

    /** Sets the size of the window, and whether the user prefers dark pages. */
    public void look(final int width, final int height, final boolean dark) throws IOException {
        cdp("Emulation.setDeviceMetricsOverride", Map.of("width", width, "height", height, "deviceScaleFactor", 1,
            "mobile", width < 500));
        cdp("Emulation.setEmulatedMedia", Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value",
            dark ? "dark" : "light"))));
    }

    public void open(final String address) throws IOException {
        call("POST", session + "/url", Map.of("url", address));
    }

    /** The value of an expression. */
    public JsonNode value(final String expression) throws IOException {
        return call("POST", session + "/execute/sync", Map.of("script", "return " + expression, "args", List.of()));
    }

    /** Waits until an expression is true; the test's own limit ends it. */
    public void await(final String expression) throws IOException {
        while (!value(expression).asBoolean()) {
            Thread.onSpinWait();
        }
    }

    /** Types keys into the element that has the focus. */
    public void type(final String selector, final String keys) throws IOException {
        final JsonNode element = call("POST", session + "/element", Map.of("using", "css selector", "value", selector));
        call("POST", session + "/element/" + element.properties().iterator().next().getValue().asText() + "/value",
            Map.of("text", keys));
    }

    /** The window as it is seen, a PNG. */
    public byte[] screenshot() throws IOException {
        return Base64.getDecoder().decode(call("GET", session + "/screenshot", null).asText());
    }

    /** What pages said on the console since the last call. */
    public List<String> console() throws IOException {
        final List<String> lines = new ArrayList<>();
        call("POST", session + "/se/log", Map.of("type", "browser")).forEach(entry -> lines.add(
            entry.get("message").asText()));
        return lines;
    }

    /** What was asked for since the last call, data within a page left out. */
    public List<String> requests() throws IOException {
        final List<String> addresses = new ArrayList<>();
        for (final JsonNode entry : call("POST", session + "/se/log", Map.of("type", "performance"))) {
            final JsonNode message = JSON.readTree(entry.get("message").asText()).get("message");
            final String address = message.path("params").path("request").path("url").asText();
            if (message.get("method").asText().equals("Network.requestWillBeSent")
                && !address.matches("(data|blob|about):.*")) {
                addresses.add(address);
            }
        }
        return addresses;
    }

    private void cdp(final String command, final Map<String, Object> parameters) throws IOException {
        call("POST", session + "/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
    }

    private JsonNode call(final String method, final String address, final Map<String, Object> body)
        throws IOException {
        final HttpURLConnection connection = (HttpURLConnection) URI.create(address).toURL().openConnection();
        try {
            connection.setRequestMethod(method);
            if (body != null) {
                connection.setDoOutput(true);
                connection.setRequestProperty("Content-Type", "application/json");
                connection.getOutputStream().write(JSON.writeValueAsBytes(body));
            }
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw new IOException(address + ": " + new String(connection.getErrorStream().readAllBytes(),
                    StandardCharsets.UTF_8));
            }
            return JSON.readTree(connection.getInputStream().readAllBytes()).get("value");
        } finally {
            connection.disconnect();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            call("DELETE", session, null);
        } finally {
            driver.destroy();
        }
    }
}
