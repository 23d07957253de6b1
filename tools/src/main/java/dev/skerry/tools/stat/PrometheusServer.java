package dev.skerry.tools.stat;

import com.sun.net.httpserver.HttpExchange;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Serves counters to Prometheus at the local host, on a thread of its own, see {@link PrometheusText}. Only
 * {@code GET /metrics} is answered: 404 for another path, 405 for another method.
 */
final class PrometheusServer implements AutoCloseable {
    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final LoopbackServer server;

    private PrometheusServer(final LoopbackServer server) {
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
        return new PrometheusServer(LoopbackServer.start("--prometheus", port, exchange -> answer(exchange, folder)));
    }

    /** Port of the server. */
    int port() {
        return server.port();
    }

    private static void answer(final HttpExchange exchange, final Path folder) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                LoopbackServer.send(exchange, LoopbackServer.NOT_FOUND, TYPE, "there is only /metrics\n");
            } else if (LoopbackServer.isGet(exchange)) {
                metrics(exchange, folder);
            }
        }
    }

    private static void metrics(final HttpExchange exchange, final Path folder) throws IOException {
        String page;
        int code = LoopbackServer.OK;
        try {
            page = PrometheusText.of(Snapshot.of(folder));
        } catch (final IOException e) {
            page = "the counters cannot be read: " + e.getMessage() + "\n";
            code = LoopbackServer.FAILED;
        }
        LoopbackServer.send(exchange, code, TYPE, page);
    }

    @Override
    public void close() {
        server.close();
    }
}
