package dev.skerry.tools.stat;

import static java.net.HttpURLConnection.HTTP_INTERNAL_ERROR;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;
import static java.net.HttpURLConnection.HTTP_OK;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.plot.PlotFigure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/** {@code skerry watch}: serves a live page of running fabrics until Ctrl-C. */
@Command(
    name = "watch",
    description = {
        "Serves a live web page of your running fabrics (live, run and sweep --publish).",
        "",
        "The page shows throughput, queues, latency, drops by reason, slots per second, and which nodes are "
            + "connected in each slot. It reads the counters from files and does not slow the fabrics down. The page "
            + "is served on the local host only, at an address with a secret token, so that only you can open it.",
        ""
    },
    footer = {
        "",
        "Example, while ./skerry run --nodes 64 --slots 20000000 --publish is running:",
        "  ./skerry watch"
    })
public final class WatchCommand extends ToolCommand {
    private static final int MAX_PORT = 65_535;

    @Option(names = "--port", paramLabel = "PORT", defaultValue = "0",
        description = "Port of the local host to listen at; 0: any free port (default: ${DEFAULT-VALUE}).")
    int port;

    @Option(names = "--dir", paramLabel = "DIR",
        description = "Folder of the counters (default: where ./skerry stat looks).")
    Path folder;

    @Override
    public Integer call() {
        Choices.inRange("--port", port, 0, MAX_PORT);
        final Path where = Choices.userFolder("--dir", folder);
        try (WatchServer server = new WatchServer(port, where)) {
            return LoopbackServer.untilStopped(out(), server.address());
        }
    }

    /**
     * Serves the page, its scripts, and the data that they request once per second. Every path starts with a token of
     * 128 bits; a request with a wrong token is answered like one for a page that does not exist.
     */
    static final class WatchServer implements AutoCloseable {
        private static final int TOKEN_BYTES = 16;
        private static final long MOST_SCHEDULE_BYTES = 16 << 20;
        private static final String TEXT = "text/plain; charset=utf-8";
        private static final String SCRIPT = "text/javascript; charset=utf-8";
        /** Vega needs eval to compile the expressions of a specification. Nothing is loaded from other hosts. */
        private static final String POLICY = "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' "
            + "'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'";

        private final LoopbackServer server;
        private final byte[] token;
        private final Path folder;

        /**
         * Starts the server.
         *
         * @param port   port to listen on; 0 for any free one.
         * @param folder folder of the counter files.
         */
        WatchServer(final int port, final Path folder) {
            final byte[] random = new byte[TOKEN_BYTES];
            new SecureRandom().nextBytes(random);
            this.token = HexFormat.of().formatHex(random).getBytes(UTF_8);
            this.folder = folder;
            this.server = LoopbackServer.start("--port", LoopbackServer.LOCAL, port, this::answer);
        }

        /** Returns the address of the page, which must only be shown to the user. */
        String address() {
            return "http://127.0.0.1:" + server.port() + "/" + new String(token, UTF_8) + "/";
        }

        private void answer(final HttpExchange exchange) throws IOException {
            try (exchange) {
                final Headers headers = exchange.getResponseHeaders();
                headers.set("Content-Security-Policy", POLICY);
                headers.set("Cache-Control", "no-store");
                headers.set("Referrer-Policy", "no-referrer");
                headers.set("X-Content-Type-Options", "nosniff");
                final String path = exchange.getRequestURI().getPath();
                final int end = path.indexOf('/', 1);
                if (end < 0 || !MessageDigest.isEqual(path.substring(1, end).getBytes(UTF_8), token)) {
                    LoopbackServer.send(exchange, HTTP_NOT_FOUND, TEXT,
                        "there is no such page; use the complete address that skerry watch printed\n");
                } else if (LoopbackServer.isGet(exchange)) {
                    serve(exchange, path.substring(end + 1));
                }
            }
        }

        private void serve(final HttpExchange exchange, final String name) throws IOException {
            try {
                switch (name) {
                    case "" -> send(exchange, "text/html; charset=utf-8", own("watch.html"));
                    case "style.css" -> send(exchange, "text/css; charset=utf-8", PlotFigure.STYLE + own("watch.css"));
                    case "library.js" -> send(exchange, SCRIPT, PlotFigure.library());
                    case "watch.js" -> send(exchange, SCRIPT, own("watch.js"));
                    case "data" -> send(exchange, "application/json", Snapshot.of(folder).json());
                    case "schedule" -> schedule(exchange);
                    default -> LoopbackServer.send(exchange, HTTP_NOT_FOUND, TEXT, "there is no such page\n");
                }
            } catch (final IOException e) {
                LoopbackServer.send(exchange, HTTP_INTERNAL_ERROR, TEXT, "it cannot be read: " + e.getMessage()
                    + "\n");
            }
        }

        /** Sends the schedule of a process, {@code pid=NUMBER}. */
        private void schedule(final HttpExchange exchange) throws IOException {
            final String query = String.valueOf(exchange.getRequestURI().getQuery());
            final Path file = query.matches("pid=[0-9]{1,18}") ? folder.resolve(query.substring(4) + ".schedule")
                : null;
            if (file == null || !Files.isRegularFile(file) || Files.size(file) > MOST_SCHEDULE_BYTES) {
                LoopbackServer.send(exchange, HTTP_NOT_FOUND, TEXT, "there is no schedule\n");
            } else {
                send(exchange, TEXT, Files.readString(file));
            }
        }

        private static void send(final HttpExchange exchange, final String type, final String text) throws IOException {
            LoopbackServer.send(exchange, HTTP_OK, type, text);
        }

        private static String own(final String name) {
            return PlotFigure.resource(WatchServer.class, name);
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
