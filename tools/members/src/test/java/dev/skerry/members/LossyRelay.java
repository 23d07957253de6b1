package dev.skerry.members;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Hands on UDP datagrams late, and loses some: a bad network between two members on one machine, where the kernel has
 * no netem. Whoever sends to it gets answers through it. For the script that tests members; started from its source:
 *
 * <pre>
 *   java LossyRelay.java LOSS DELAY_MS SEED FROM_HOST:PORT=TO_HOST:PORT ...
 * </pre>
 */
public final class LossyRelay {
    private static final int MOST_BYTES = 1 << 16;

    private final Selector selector = Selector.open();
    private final Random random;
    private final double loss;
    private final long delayNs;
    /** By address of a sender and channel that it sent to: the channel that speaks for it. */
    private final Map<String, DatagramChannel> spokenFor = new HashMap<>();
    private final Deque<Late> late = new ArrayDeque<>();
    private long lost;
    private long handedOn;

    private record Late(long dueNs, DatagramChannel from, SocketAddress to, ByteBuffer bytes) {
    }

    /** What a channel does with what comes: a sender's goes to the target, an answer back to the sender. */
    private record Way(InetSocketAddress target, DatagramChannel back, SocketAddress sender) {
    }

    private LossyRelay(final double loss, final long delayNs, final long seed) throws IOException {
        this.loss = loss;
        this.delayNs = delayNs;
        this.random = new Random(seed);
    }

    /** Relays until it is killed. */
    public static void main(final String[] arguments) throws IOException {
        final LossyRelay relay = new LossyRelay(Double.parseDouble(arguments[0]),
            TimeUnit.MICROSECONDS.toNanos(Math.round(Double.parseDouble(arguments[1]) * 1000)),
            Long.parseLong(arguments[2]));
        for (int i = 3; i < arguments.length; i++) {
            final String[] ends = arguments[i].split("=");
            relay.open(address(ends[0]), new Way(address(ends[1]), null, null));
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("relay: " + relay.handedOn
            + " datagrams handed on, " + relay.lost + " lost")));
        relay.run();
    }

    private static InetSocketAddress address(final String text) {
        final String[] parts = text.split(":");
        return new InetSocketAddress(parts[0], Integer.parseInt(parts[1]));
    }

    private DatagramChannel open(final InetSocketAddress at, final Way way) throws IOException {
        final DatagramChannel channel = DatagramChannel.open();
        channel.bind(at);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, way);
        return channel;
    }

    private void run() throws IOException {
        while (true) {
            selector.select(late.isEmpty() ? 0 : 1);
            for (final SelectionKey key : selector.selectedKeys()) {
                take((DatagramChannel) key.channel(), (Way) key.attachment());
            }
            selector.selectedKeys().clear();
            while (!late.isEmpty() && late.peek().dueNs - System.nanoTime() <= 0) {
                final Late next = late.remove();
                next.from.send(next.bytes, next.to);
            }
        }
    }

    private void take(final DatagramChannel channel, final Way way) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(MOST_BYTES);
        SocketAddress sender = channel.receive(bytes);
        while (sender != null) {
            if (random.nextDouble() < loss) {
                lost++;
            } else {
                handedOn++;
                final ByteBuffer copy = ByteBuffer.allocate(bytes.flip().remaining()).put(bytes).flip();
                final long due = System.nanoTime() + delayNs;
                late.add(way.back == null ? new Late(due, speaker(channel, sender, way), way.target, copy)
                    : new Late(due, way.back, way.sender, copy));
            }
            bytes.clear();
            sender = channel.receive(bytes);
        }
    }

    private DatagramChannel speaker(final DatagramChannel channel, final SocketAddress sender, final Way way)
        throws IOException {
        final String name = sender + " " + channel.getLocalAddress();
        final DatagramChannel known = spokenFor.get(name);
        if (known != null) {
            return known;
        }
        final DatagramChannel speaker = open(new InetSocketAddress("127.0.0.1", 0), new Way(null, channel, sender));
        spokenFor.put(name, speaker);
        return speaker;
    }
}
