package dev.skerry.tools.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.tools.stat.WatchCommand.WatchServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

final class WatchServerTest {
    private static final String END_OF_HEADERS = "\r\n\r\n";

    @TempDir
    private Path folder;

    @Test
    void shouldServeThePageToWhoKnowsTheAddress() throws IOException {
        try (WatchServer server = new WatchServer(0, folder)) {
            final String page = get(server, "");
            assertTrue(page.toLowerCase(Locale.ROOT).contains("content-security-policy: default-src 'none'"), page);
            assertTrue(page.contains("<title>Skerry: running fabrics</title>"), page);
            for (final String name : List.of("style.css", "library.js", "watch.js", "data")) {
                assertTrue(page.contains(name) || name.equals("data"), name);
                assertTrue(get(server, name).startsWith("HTTP/1.1 200 "), name);
            }
        }
    }

    @Test
    void shouldTellWrongTokensNothing() throws IOException {
        try (WatchServer server = new WatchServer(0, folder)) {
            final String path = URI.create(server.address()).getPath();
            final String other = path.substring(0, path.length() - 2) + (path.contains("0/") ? "1/" : "0/");
            for (final String wrong : List.of("/", "/data", other, other + "data", path.replaceFirst("/$", ""),
                path.toUpperCase(Locale.ROOT) + "x/", "/x" + path)) {
                assertTrue(ask(server, "GET " + wrong, host(server)).startsWith("HTTP/1.1 404 "), wrong);
            }
            assertTrue(ask(server, "GET " + path + "other", host(server)).startsWith("HTTP/1.1 404 "));
        }
    }

    @Test
    void shouldRefuseOtherHostsAndMethods() throws IOException {
        try (WatchServer server = new WatchServer(0, folder)) {
            final String path = URI.create(server.address()).getPath();
            for (final String host : List.of("evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:"
                + host(server).replaceFirst(".*:", ""), "")) {
                assertTrue(ask(server, "GET " + path, host).startsWith("HTTP/1.1 403 "), host);
            }
            assertTrue(ask(server, "GET " + path, host(server).replace("127.0.0.1", "localhost"))
                .startsWith("HTTP/1.1 200 "));
            for (final String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "HEAD")) {
                assertTrue(ask(server, method + " " + path, host(server)).startsWith("HTTP/1.1 405 "), method);
            }
        }
    }

    @Test
    void shouldHaveAnotherTokenEachTime() {
        final Set<String> tokens = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            try (WatchServer server = new WatchServer(0, folder)) {
                final String path = URI.create(server.address()).getPath();
                assertTrue(path.matches("/[0-9a-f]{32}/"), path);
                tokens.add(path);
            }
        }
        assertEquals(4, tokens.size());
    }

    @Test
    void shouldGiveTheNamesOfOthersAsTheyAre() throws IOException {
        final String name = "live </script><img src=x onerror=alert(1)> \"\\ \u00e9";
        try (CounterFile file = CounterFile.create(folder, name, 4);
            WatchServer server = new WatchServer(0, folder)) {
            file.set(file.add("fabric_cells_dropped_full"), 3);
            file.set(file.add("port_rx_dropped_wrong{node=\"0\",port=\"<b>\"}"), 7);
            final JsonNode process = new ObjectMapper().readTree(body(get(server, "data"))).get("processes").get(0);
            assertEquals(name, process.get("name").asText());
            assertEquals("[\"port_rx_dropped_wrong{node=\\\"0\\\",port=\\\"<b>\\\"}\"]",
                process.get("losses").toString());
        }
    }

    @Test
    void shouldServeSchedulesAndNoOtherFile() throws IOException {
        Files.writeString(folder.resolve("12.schedule"), "2 1 1\n1 0\n");
        Files.writeString(folder.resolve("secret.schedule"), "no");
        Files.writeString(folder.resolve("12.counters"), "no");
        try (WatchServer server = new WatchServer(0, folder)) {
            assertEquals("2 1 1\n1 0\n", body(get(server, "schedule?pid=12")));
            for (final String query : List.of("", "?pid=13", "?pid=", "?pid=secret", "?pid=../x/12", "?pid=12.counters",
                "?pid=12%00", "?pid=-1")) {
                final String answer = get(server, "schedule" + query);
                assertTrue(answer.startsWith("HTTP/1.1 404 "), answer);
                assertFalse(answer.endsWith("no"), answer);
            }
        }
    }

    private static String host(final WatchServer server) {
        return URI.create(server.address()).getAuthority();
    }

    private static String get(final WatchServer server, final String name) throws IOException {
        return ask(server, "GET " + URI.create(server.address()).getPath() + name, host(server));
    }

    private static String body(final String answer) {
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
        return answer.substring(answer.indexOf(END_OF_HEADERS) + END_OF_HEADERS.length());
    }

    /** By a plain socket: the JDK's client sets the host itself. */
    private static String ask(final WatchServer server, final String what, final String host) throws IOException {
        final int port = URI.create(server.address()).getPort();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write((what + " HTTP/1.0\r\nHost: " + host + END_OF_HEADERS)
                .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
