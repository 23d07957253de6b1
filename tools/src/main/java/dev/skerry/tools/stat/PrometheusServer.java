package dev.skerry.tools.stat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Serves counters at {@code /metrics} of the local host in Prometheus's text format 0.0.4, on a thread of its own. */
final class PrometheusServer implements AutoCloseable {
    private static final int OK = 200;
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
            server.createContext("/metrics", exchange -> answer(exchange, folder));
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
            byte[] body;
            int code = OK;
            try {
                body = Snapshot.of(folder).prometheus().getBytes(StandardCharsets.UTF_8);
            } catch (final IOException e) {
                body = ("the counters cannot be read: " + e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
                code = FAILED;
            }
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            exchange.sendResponseHeaders(code, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
