package dev.skerry.tools.ctl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.command.Invocation;
import dev.skerry.tools.ctl.ControlSocket.OrderDispatcher;
import dev.skerry.tools.ctl.Order.OrderText;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.OtherUser;
import dev.skerry.tools.port.PortPlace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Orders as a user writes them, and a socket that carries them out one after the other, for its user only. */
@Timeout(60)
final class ControlSocketTest {
    @TempDir
    private Path folder;
    private ControlSocket socket;

    @AfterEach
    void close() {
        if (socket != null) {
            socket.close();
        }
    }

    /** Answers with the order, and captures a few bytes. */
    private static class Echo implements OrderDispatcher {
        final List<String> begun = new ArrayList<>();

        @Override
        public String carryOut(final Order order) throws InterruptedException {
            begun.add(order.toString());
            if (order instanceof final Order.Remove remove && remove.place().equals(new PortPlace(7, 0))) {
                throw new InputException("ctl", "node 7", "it is not there", "name another");
            }
            return order + "\n";
        }

        @Override
        public Capture capture(final Order.Tap tap) {
            return new Capture() {
                private int left = 3;

                @Override
                public boolean fill(final ByteBuffer into) {
                    into.put((byte) ('a' + left));
                    return left-- > 0;
                }

                @Override
                public void close() {
                    begun.add("closed");
                }
            };
        }
    }

    private String ask(final String text) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(folder.resolve("s")));
            channel.write(ByteBuffer.wrap(text.getBytes(UTF_8)));
            return new String(Channels.newInputStream(channel).readAllBytes(), UTF_8);
        }
    }

    @Test
    void shouldAnswerOrdersAndRefuseOthersByOneLine() throws IOException {
        final Echo dispatcher = new Echo();
        socket = ControlSocket.open(folder.resolve("s"), dispatcher);
        assertEquals("ok\nRemove[place=3]\n", ask("remove 3\n"));
        assertEquals("ok\nRemove[place=3]\n", ask("remove 3\nremove 4\n"), "a connection brings one order");
        assertEquals("error skerry: ctl: node 7: it is not there, name another\n", ask("remove 7\n"));
        assertTrue(ask("nothing\n").startsWith("error skerry: ctl: nothing: there is no such order"));
        assertTrue(ask("x".repeat(OrderText.MOST)).startsWith("error skerry: ctl: order: it is longer than 4096"));
        assertEquals("ok\ndcb", ask("tap 3\n"));
        assertEquals("closed", dispatcher.begun.getLast());
        socket.close();
        assertFalse(Files.exists(folder.resolve("s")));
    }

    @Test
    void shouldLetOnlyTheUserIn() throws IOException {
        socket = ControlSocket.open(folder.resolve("s"), new Echo());
        assertEquals(PosixFilePermissions.fromString("rw-------"),
            Files.getPosixFilePermissions(folder.resolve("s")));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(folder.resolve("s")), files.toList(), "nothing else is left");
        }
        assertTrue(assertThrows(InputException.class, () -> ControlSocket.open(folder.resolve("s"), new Echo()))
            .getMessage().contains("another process listens there"));
        socket.close();
    }

    /** A listener of another user gets no order, which could bring a secret. */
    @Test
    void shouldSendNothingToAnotherUser() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        final Path path = folder.resolve("s");
        try (OtherUser user = OtherUser.run("""
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.bind(sys.argv[1])
            s.listen(4)
            print("listening", flush=True)
            print(len(s.accept()[0].recv(4096)), flush=True)
            """, path.toString())) {
            Invocation.refuses("ctl --socket " + path + " add 5=memif:/tmp/x,server,secret=hunter2", "listens there");
            assertEquals("0", user.line(), "bytes that it got");
        }
    }

    @Test
    void shouldReplaceASocketThatNobodyListensAtButNoFile() throws IOException {
        try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
        }
        socket = ControlSocket.open(folder.resolve("s"), new Echo());
        assertEquals("ok\nPorts[]\n", ask("ports\n"));
        socket.close();
        Files.writeString(folder.resolve("f"), "kept");
        assertThrows(InputException.class, () -> ControlSocket.open(folder.resolve("f"), new Echo()));
        assertEquals("kept", Files.readString(folder.resolve("f")));
    }

    @Test
    void shouldCarryOutOneOrderAtATimeAndEndThoseThatWait() throws Exception {
        final CountDownLatch started = new CountDownLatch(1);
        final List<String> order = Collections.synchronizedList(new ArrayList<>());
        final OrderDispatcher slow = new Echo() {
            @Override
            public String carryOut(final Order of) throws InterruptedException {
                order.add("begin");
                started.countDown();
                try {
                    new CountDownLatch(1).await();
                } finally {
                    order.add("end");
                }
                return "";
            }
        };
        final List<Thread> clients = new ArrayList<>();
        socket = ControlSocket.open(folder.resolve("s"), slow);
        for (int client = 0; client < 2; client++) {
            clients.add(Thread.ofPlatform().start(() -> {
                try {
                    ask("ports\n");
                } catch (final IOException e) {
                    // The socket is closed while it waits.
                    order.add("gone");
                }
            }));
        }
        started.await();
        socket.close();
        for (final Thread client : clients) {
            client.join();
        }
        assertEquals(List.of("begin", "end"), order.stream().filter(word -> !word.equals("gone")).limit(2).toList());
    }

    /** A client may connect while the socket closes. */
    @Test
    void shouldBeginNoOrderOnceItIsClosed() throws Exception {
        for (int round = 0; round < 100; round++) {
            final AtomicBoolean closed = new AtomicBoolean();
            final AtomicBoolean late = new AtomicBoolean();
            socket = ControlSocket.open(folder.resolve("s"), new Echo() {
                @Override
                public String carryOut(final Order order) {
                    late.compareAndSet(false, closed.get());
                    return "";
                }
            });
            final Thread client = Thread.ofPlatform().start(() -> {
                try {
                    ask("ports\n");
                } catch (final IOException e) {
                    // The socket has gone.
                }
            });
            for (int spin = 0; spin < 100 * round; spin++) {
                Thread.onSpinWait();
            }
            socket.close();
            closed.set(true);
            client.join();
            assertFalse(late.get(), "round " + round);
        }
    }

    @Test
    void shouldReadEachOrder() {
        assertEquals(new Order.Ports(), OrderText.parse("ports"));
        assertEquals(new Order.Add("5=tap:sk5"), OrderText.parse("  add   5=tap:sk5 "));
        assertEquals(new Order.Remove(place("5")), OrderText.parse("remove 5"));
        assertEquals(new Order.Drain(place("5"), 10), OrderText.parse("drain 5"));
        assertEquals(new Order.Drain(place("5"), 0.25), OrderText.parse("drain 5 0.25"));
        assertEquals(new Order.Resume(place("5")), OrderText.parse("resume 5"));
        assertEquals(new Order.Route(Map.of(place("0"), place("3.1"), place("3"), Order.Route.BY_ADDRESS)),
            OrderText.parse("map 0:3.1,3:address"));
        assertEquals(new Order.Address(0x02AB_0000_0007L, place("3")), OrderText.parse("mac 02:aB:00:00:00:07 3"));
        assertEquals(new Order.Address(0x0200_0000_0007L, Order.Address.FORGET),
            OrderText.parse("mac 02:00:00:00:00:07 forget"));
        assertEquals(new Order.Rate(place("0"), "10kpps"), OrderText.parse("rate 0 10kpps"));
        assertEquals(new Order.Tap(place("3"), true, true, 1, Long.MAX_VALUE, 9216, ""), OrderText.parse("tap 3"));
        assertEquals(new Order.Tap(place("3"), false, true, 10, 100, 64, "tcp port 80"),
            OrderText.parse("tap 3 out one=10 count=100 bytes=64 filter=tcp port 80"));
        assertEquals(new Order.Fail("node 3 down"), OrderText.parse("fault node  3 down"));
        assertEquals(new Order.Reload(), OrderText.parse("reload"));
        assertEquals(new Order.Untap(place("3")), OrderText.parse("untap 3"));
        assertEquals(new Order.Counters(Order.Counters.ALL), OrderText.parse("counters"));
        assertEquals(new Order.Counters(place("3")), OrderText.parse("counters 3"));
        assertEquals(new Order.Reset(), OrderText.parse("reset"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "\"\" | \"\" | there is no such order",
        "halt | halt | there is no such order",
        "ports 3 | ports 3 | it has too many words",
        "remove | remove | it has too few words",
        "remove -1 | remove -1 | '-1' is not a node",
        "remove 1048576 | remove 1048576 | is not a node",
        "remove 3.0 | remove 3.0 | is not a node",
        "remove 3.256 | remove 3.256 | is not a node",
        "map 3.1:3.1 | map 3.1:3.1 | node 3.1 cannot send to itself",
        "drain | drain | a node is missing",
        "drain 1 3601 | drain 1 3601 | is not a number of seconds from 0 to 3600",
        "drain 1 NaN | drain 1 NaN | is not a number of seconds",
        "map 0 | map 0 | '0' is not a pair of nodes",
        "map 0:0 | map 0:0 | node 0 cannot send to itself",
        "map 0:1,0:2 | map 0:1,0:2 | node 0 is listed twice",
        "mac 02:00:00:00:00 3 | mac | is not a MAC address",
        "mac 03:00:00:00:00:01 3 | mac | is the address of a group",
        "tap 3 both | tap 3 both | 'both' is not part of the order",
        "tap 3 in out | tap 3 in out | 'out' is not part of the order",
        "tap 3 one=0 | tap | '0' is out of range",
        "tap 3 bytes=13 | tap | '13' is out of range",
    })
    void shouldRefuseWithOneLine(final String line, final String where, final String why) {
        final String message = assertThrows(InputException.class, () -> OrderText.parse(line)).getMessage();
        assertTrue(message.startsWith("skerry: ctl: " + (where.isEmpty() ? "''" : where)), message);
        assertTrue(message.contains(why), message);
        assertEquals(1, message.lines().count(), message);
    }

    private static PortPlace place(final String text) {
        final PortPlace place = PortPlace.of(text);
        assertEquals(text, place.toString());
        return place;
    }
}
