package dev.skerry.tools.stat;

import static java.net.HttpURLConnection.HTTP_BAD_METHOD;
import static java.net.HttpURLConnection.HTTP_FORBIDDEN;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * The JDK's HTTP server on a thread pool. By default it listens on the local host only, and refuses requests whose Host
 * header names another host. A request must be complete within five seconds.
 */
final class LoopbackServer implements AutoCloseable {
    /** Name of the local host. */
    static final String LOCAL = "localhost";

    private static final int THREADS = 32;
    private static final long PAUSE_NS = 50_000_000;

    static {
        // The JDK's server reads these properties once, when the first server is created. Values set by the user are
        // kept.
        limit("sun.net.httpserver.maxReqTime", "5");
        limit("sun.net.httpserver.maxRspTime", "20");
        limit("sun.net.httpserver.maxReqHeaders", "50");
        // One connection per thread, so that no connection waits for a thread.
        limit("jdk.httpserver.maxConnections", Integer.toString(THREADS));
    }

    private final HttpServer server;
    private final ExecutorService pool;

    private LoopbackServer(final HttpServer server, final ExecutorService pool) {
        this.server = server;
        this.pool = pool;
    }

    private static boolean isOurs(final String host, final int port) {
        return host != null && (host.equals("127.0.0.1:" + port) || host.equals("localhost:" + port)
            || host.equals("[::1]:" + port));
    }

    /**
     * Starts a server.
     *
     * @param option  option that names the port, for messages.
     * @param address address to listen on: {@link #LOCAL} or another address of this machine.
     * @param port    port to listen on; 0 for any free one.
     * @param handler answers every request.
     * @throws InputException if the port is not available.
     */
    static LoopbackServer start(final String option, final String address, final int port,
        final HttpHandler handler) {
        try {
            final boolean isLocal = address.equals(LOCAL);
            final HttpServer server = HttpServer.create(new InetSocketAddress(isLocal ? InetAddress.getLoopbackAddress()
                : InetAddress.getByName(address), port), 0);
            server.createContext("/", exchange -> {
                if (!isLocal || isOurs(exchange.getRequestHeaders().getFirst("Host"), server.getAddress().getPort())) {
                    handler.handle(exchange);
                } else {
                    // Protection against DNS rebinding: another site could make the browser send requests here under
                    // its own name.
                    try (exchange) {
                        send(exchange, HTTP_FORBIDDEN, "text/plain; charset=utf-8", "the request is for another "
                            + "host\n");
                    }
                }
            });
            // The threads of this pool read requests, so that an incomplete request blocks only one of them.
            final ExecutorService pool = Executors.newFixedThreadPool(THREADS, work -> {
                final Thread thread = new Thread(work, "skerry-http");
                thread.setDaemon(true);
                return thread;
            });
            server.setExecutor(pool);
            server.start();
            return new LoopbackServer(server, pool);
        } catch (final IOException e) {
            throw new InputException(option, address + ":" + port, "it cannot be used: " + e.getMessage(),
                "choose another port, or 0 for any");
        }
    }

    private static void limit(final String property, final String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /** Prints the address of a server, waits for the user to stop the program, and returns 0. */
    static int untilStopped(final PrintWriter out, final String address) {
        try (StopSignal stop = StopSignal.listen()) {
            out.println(address);
            out.flush();
            while (!stop.requested()) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        return 0;
    }

    /** Returns the port of the server. */
    int port() {
        return server.getAddress().getPort();
    }

    /** Tells whether the method is GET; otherwise answers with an error. */
    static boolean isGet(final HttpExchange exchange) throws IOException {
        if (exchange.getRequestMethod().equals("GET")) {
            return true;
        }
        exchange.getResponseHeaders().set("Allow", "GET");
        send(exchange, HTTP_BAD_METHOD, "text/plain; charset=utf-8", "only GET is supported\n");
        return false;
    }

    /** Sends an answer. */
    static void send(final HttpExchange exchange, final int code, final String type, final String text)
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
        pool.shutdownNow();
    }
}
