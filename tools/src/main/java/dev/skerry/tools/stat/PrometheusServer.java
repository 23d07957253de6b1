package dev.skerry.tools.stat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Serves counters to Prometheus at the local host, on a thread of its own, see {@link PrometheusText}. Only
 * {@code GET /metrics} is answered: 404 for another path, 405 for another method.
 */
final class PrometheusServer implements AutoCloseable {
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int FAILED = 500;

    private final HttpServer server;

    private PrometheusServer(final HttpServer server) {
        this.server = server;
    }

    /**
     * Starts the server.
     *
     * @param port   port to listen at, 0 for any free one.
     * @param folder folder of the counter files.
     * @throws InputException if the port is not available.
     */
    static PrometheusServer start(final int port, final Path folder) {
        try {
            final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                0);
            server.createContext("/", exchange -> answer(exchange, folder));
            server.start();
            return new PrometheusServer(server);
        } catch (final IOException e) {
            throw new InputException("--prometheus", Integer.toString(port), "it cannot be listened at: "
                + e.getMessage(), "choose another port, or 0 for any");
        }
    }

    /** Port of the server. */
    int port() {
        return server.getAddress().getPort();
    }

    private static void answer(final HttpExchange exchange, final Path folder) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                send(exchange, NOT_FOUND, "there is only /metrics\n");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                exchange.getResponseHeaders().set("Allow", "GET");
                send(exchange, NOT_ALLOWED, "there is only GET\n");
            } else {
                metrics(exchange, folder);
            }
        }
    }

    private static void metrics(final HttpExchange exchange, final Path folder) throws IOException {
        String page;
        int code = OK;
        try {
            page = PrometheusText.of(Snapshot.of(folder));
        } catch (final IOException e) {
            page = "the counters cannot be read: " + e.getMessage() + "\n";
            code = FAILED;
        }
        send(exchange, code, page);
    }

    private static void send(final HttpExchange exchange, final int code, final String page) throws IOException {
        final byte[] body = page.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        final boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(code, isHead ? -1 : body.length);
        if (!isHead) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
