package dev.skerry.tools.ctl;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skerry.tools.ctl.Order.OrderText;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Accepts orders on a Unix socket. Only the user may connect: the socket is created in a folder that no other user can
 * enter, and moved to its path after its permissions have been set. Each connection sends one order and has a thread of
 * its own. Orders are executed one at a time; captures run concurrently with them.
 */
public final class ControlSocket implements AutoCloseable {
    /** Suffix of the name of a socket in the folder of the counters; the name starts with the pid. */
    public static final String SUFFIX = ".ctl";

    private static final String WHAT = "--ctl";
    private static final int MOST_CONNECTIONS = 16;
    private static final long JOIN_MS = 2_000;
    private static final long PAUSE_NS = 10_000_000;

    private final Path path;
    private final ServerSocketChannel server;
    private final OrderDispatcher dispatcher;
    private final ReentrantLock turn = new ReentrantLock(true);
    /** Open connections. Their lock also guards {@link #isClosed}. */
    private final Set<Connection> connections = new HashSet<>();
    private boolean isClosed;
    private final Thread listener = new Thread(this::listen, "skerry-ctl");

    private ControlSocket(final Path path, final ServerSocketChannel server, final OrderDispatcher dispatcher) {
        this.path = path;
        this.server = server;
        this.dispatcher = dispatcher;
    }

    /**
     * Opens the socket and starts to listen.
     *
     * @param path path of the socket; a socket on which no process listens is replaced.
     * @throws InputException if the socket cannot be created.
     */
    public static ControlSocket open(final Path path, final OrderDispatcher dispatcher) {
        try {
            if (Files.exists(path) && isListenedAt(path)) {
                throw new InputException(WHAT, path.toString(), "another process listens there", "choose another path");
            }
            final Path folder = path.toAbsolutePath().getParent();
            final Path made = Files.createTempDirectory(folder, ".ctl", PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rwx------")));
            final Path inside = made.resolve("s");
            final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                server.bind(UnixDomainSocketAddress.of(inside));
                Files.setPosixFilePermissions(inside, PosixFilePermissions.fromString("rw-------"));
                Files.move(inside, path, StandardCopyOption.ATOMIC_MOVE);
            } catch (final IOException e) {
                server.close();
                throw e;
            } finally {
                Files.deleteIfExists(inside);
                Files.delete(made);
            }
            final ControlSocket socket = new ControlSocket(path, server, dispatcher);
            socket.listener.setDaemon(true);
            socket.listener.start();
            return socket;
        } catch (final IOException | UnsupportedOperationException e) {
            throw new InputException(WHAT, path.toString(), "no socket can be made there: " + reason(e),
                "choose a path of up to 80 characters in a folder that you may write to");
        }
    }

    private static String reason(final Exception e) {
        return String.valueOf(e.getMessage()).replaceAll("\\p{Cntrl}+", " ");
    }

    /**
     * Tells whether a process answers at a socket. Returns true for a file of another kind, so that it is not replaced.
     */
    static boolean isListenedAt(final Path path) throws IOException {
        if (!Files.readAttributes(path, BasicFileAttributes.class).isOther()) {
            throw new IOException("there is a file of another kind");
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(path));
        } catch (final IOException e) {
            return false;
        }
    }

    private void listen() {
        while (server.isOpen()) {
            try {
                begin(new Connection(server.accept()));
            } catch (final IOException e) {
                // The socket was closed, or a client disconnected before it was accepted.
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    private void begin(final Connection connection) {
        final String refusal;
        synchronized (connections) {
            if (isClosed) {
                refusal = "skerry: ctl: the dataplane has ended";
            } else if (connections.size() == MOST_CONNECTIONS) {
                refusal = "skerry: ctl: " + MOST_CONNECTIONS + " connections are open, which is the maximum, try "
                    + "again later";
            } else {
                refusal = null;
                connections.add(connection);
                connection.thread.start();
            }
        }
        if (refusal != null) {
            connection.refuse(refusal);
        }
    }

    /** Ends all connections and removes the socket. Waits for the orders that are being executed. */
    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(path);
        } catch (final IOException e) {
            // In either case no client can connect after this point.
        }
        final Set<Connection> left;
        synchronized (connections) {
            isClosed = true;
            left = Set.copyOf(connections);
        }
        // Orders that are being executed are answered; waiting ones are interrupted first.
        end(left.stream().filter(connection -> !connection.begun.get()).toList(), left);
        end(left, left);
    }

    /** Interrupts some connections and waits for all of them to finish. */
    private static void end(final Collection<Connection> some, final Set<Connection> all) {
        some.forEach(connection -> connection.thread.interrupt());
        boolean interrupted = false;
        for (final Connection connection : all) {
            try {
                connection.thread.join(JOIN_MS);
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns an error line in UTF-8. */
    private static ByteBuffer error(final String message) {
        return ByteBuffer.wrap(("error " + message.replaceAll("[\\r\\n]+", " ") + "\n").getBytes(UTF_8));
    }

    /** A client. Reads its order and writes the answer, on a thread of its own. */
    private final class Connection {
        private static final byte[] OK = "ok\n".getBytes(UTF_8);
        private static final int BUFFER_BYTES = 1 << 16;
        private static final long PAUSE_NS = 1_000_000;

        private final SocketChannel channel;
        private final Thread thread = new Thread(this::serve, "skerry-ctl-order");
        /** Whether the order is being executed. */
        private final AtomicBoolean begun = new AtomicBoolean();
        private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

        Connection(final SocketChannel channel) {
            this.channel = channel;
            thread.setDaemon(true);
        }

        /** Writes the reason why the order is refused, and closes the connection. */
        void refuse(final String why) {
            try (channel) {
                channel.write(error(why));
            } catch (final IOException e) {
                // The client has already disconnected.
            }
        }

        private void serve() {
            try (channel) {
                try {
                    final String line = line();
                    if (line != null) {
                        answer(OrderText.parse(line));
                    }
                } catch (final InputException | IllegalStateException e) {
                    write(error(e.getMessage()));
                } catch (final RuntimeException e) {
                    write(error("skerry: ctl: internal error: " + e + ", please report it with the order"));
                }
            } catch (final IOException e) {
                // The client has disconnected, or the dataplane has ended.
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                synchronized (connections) {
                    connections.remove(this);
                }
            }
        }

        /** Waits until earlier orders are done, then executes the order and writes the answer. */
        private void answer(final Order order) throws IOException, InterruptedException {
            turn.lockInterruptibly();
            final OrderDispatcher.Capture tapped;
            String answer = "";
            try {
                if (order instanceof final Order.Tap tap) {
                    tapped = dispatcher.capture(tap);
                } else {
                    tapped = null;
                    begun.set(true);
                    answer = dispatcher.carryOut(order);
                }
            } finally {
                turn.unlock();
            }
            try (tapped) {
                write(ByteBuffer.wrap(OK));
                write(ByteBuffer.wrap(answer.getBytes(UTF_8)));
                if (tapped != null) {
                    pump(tapped);
                }
            }
        }

        /** Writes a capture until it ends or the client disconnects. */
        private void pump(final OrderDispatcher.Capture capture) throws IOException {
            channel.configureBlocking(false);
            final ByteBuffer nothing = ByteBuffer.allocate(1);
            while (!Thread.currentThread().isInterrupted()) {
                buffer.clear();
                final boolean goesOn = capture.fill(buffer);
                if (!goesOn || channel.read(nothing.clear()) < 0) {
                    return;
                }
                if (buffer.flip().hasRemaining()) {
                    write(buffer);
                } else {
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
        }

        private void write(final ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                if (channel.write(bytes) == 0) {
                    if (Thread.currentThread().isInterrupted()) {
                        return;
                    }
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
        }

        /** Returns the order; null if the client disconnected before it sent a line. */
        private String line() throws IOException {
            buffer.clear().limit(OrderText.MOST);
            while (true) {
                if (!buffer.hasRemaining()) {
                    throw new InputException("ctl", "order", "it is longer than " + OrderText.MOST + " bytes",
                        "write a shorter one");
                }
                if (channel.read(buffer) < 0) {
                    return null;
                }
                final String text = new String(buffer.array(), 0, buffer.position(), UTF_8);
                if (text.indexOf('\n') >= 0) {
                    return text.substring(0, text.indexOf('\n'));
                }
            }
        }
    }

    /** Executes orders, one at a time. */
    public interface OrderDispatcher {
        /**
         * Executes an order.
         *
         * @return the answer, as lines that end with a line feed; may be empty.
         * @throws dev.skerry.tools.input.InputException if the order cannot be executed; then nothing has changed.
         */
        String carryOut(Order order) throws InterruptedException;

        /**
         * Starts a capture.
         *
         * @throws dev.skerry.tools.input.InputException if the packets cannot be captured.
         */
        Capture capture(Order.Tap tap) throws InterruptedException;

        /** A running capture. Called by the thread of the connection. */
        interface Capture extends AutoCloseable {
            /**
             * Writes the available part of the capture.
             *
             * @return false if the capture has ended and nothing was written.
             */
            boolean fill(ByteBuffer into);

            @Override
            void close();
        }
    }
}
