package dev.skerry.tools.ctl;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** One client of a {@link ControlSocket}: reads its order and writes the answer, on a thread of its own. */
final class Connection {
    private static final byte[] OK = "ok\n".getBytes(UTF_8);
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long PAUSE_NS = 1_000_000;

    private final SocketChannel channel;
    private final ControlSocket socket;
    private final Thread thread = new Thread(this::serve, "skerry-ctl-order");
    private final AtomicBoolean begun = new AtomicBoolean();
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

    Connection(final SocketChannel channel, final ControlSocket socket) {
        this.channel = channel;
        this.socket = socket;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Says why there is no answer, and closes. */
    void refuse(final String why) {
        try (channel) {
            channel.write(ByteBuffer.wrap(ControlSocket.error(why)));
        } catch (final IOException e) {
            // It has gone already.
        }
    }

    /** Its order is being carried out. */
    void begin() {
        begun.set(true);
    }

    /** Whether its order was begun; any thread. */
    boolean isBegun() {
        return begun.get();
    }

    /** Ends it from outside. */
    void end() {
        thread.interrupt();
    }

    void join(final long ms) throws InterruptedException {
        thread.join(ms);
    }

    private void serve() {
        try (channel) {
            try {
                final String line = line();
                if (line != null) {
                    answer(OrderText.parse(line));
                }
            } catch (final InputException | IllegalStateException e) {
                write(ByteBuffer.wrap(ControlSocket.error(e.getMessage())));
            } catch (final RuntimeException e) {
                write(ByteBuffer.wrap(ControlSocket.error("skerry: ctl: internal error: " + e
                    + ", please report it with the order")));
            }
        } catch (final IOException e) {
            // The client has gone, or the dataplane has ended.
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            socket.ended(this);
        }
    }

    private void answer(final Order order) throws IOException, InterruptedException {
        if (order instanceof final Order.Tap tap) {
            try (OrderDesk.Capture capture = socket.capture(tap)) {
                write(ByteBuffer.wrap(OK));
                pump(capture);
            }
        } else {
            final String answer = socket.carryOut(order, this);
            write(ByteBuffer.wrap(OK));
            write(ByteBuffer.wrap(answer.getBytes(UTF_8)));
        }
    }

    /** Writes a capture until it ends or the client goes. */
    private void pump(final OrderDesk.Capture capture) throws IOException {
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

    /** The order; null if the client went before it had sent a line. */
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
