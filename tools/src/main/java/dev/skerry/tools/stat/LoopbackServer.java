package dev.skerry.tools.stat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** The JDK's HTTP server, at the local host only, on a thread of its own. */
public final class LoopbackServer implements AutoCloseable {
    /** Status of an answer. */
    public static final int OK = 200;
    /** Status for who may not ask. */
    public static final int FORBIDDEN = 403;
    /** Status of another path. */
    public static final int NOT_FOUND = 404;
    /** Status of another method. */
    public static final int NOT_ALLOWED = 405;
    /** Status where the answer cannot be made. */
    public static final int FAILED = 500;

    private final HttpServer server;

    private LoopbackServer(final HttpServer server) {
        this.server = server;
    }

    /**
     * Starts a server.
     *
     * @param option  that names the port, for messages.
     * @param port    port to listen at, 0 for any free one.
     * @param handler answers every request.
     * @throws InputException if the port is not available.
     */
    public static LoopbackServer start(final String option, final int port, final HttpHandler handler) {
        try {
            final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                0);
            server.createContext("/", handler);
            server.start();
            return new LoopbackServer(server);
        } catch (final IOException e) {
            throw new InputException(option, Integer.toString(port), "it cannot be listened at: " + e.getMessage(),
                "choose another port, or 0 for any");
        }
    }

    /** Port of the server. */
    public int port() {
        return server.getAddress().getPort();
    }

    /** Whether the method is GET; if not, says so. */
    public static boolean isGet(final HttpExchange exchange) throws IOException {
        if (exchange.getRequestMethod().equals("GET")) {
            return true;
        }
        exchange.getResponseHeaders().set("Allow", "GET");
        send(exchange, NOT_ALLOWED, "text/plain; charset=utf-8", "there is only GET\n");
        return false;
    }

    /** Answers. */
    public static void send(final HttpExchange exchange, final int code, final String type, final String text)
        throws IOException {
        final byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
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
