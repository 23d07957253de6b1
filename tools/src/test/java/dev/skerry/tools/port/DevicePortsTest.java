package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.DevicePort.TapPort;
import dev.skerry.tools.port.DevicePort.TapPort.TapSettings;
import dev.skerry.tools.port.InterfacePort.InterfaceSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/** TAP devices and packet sockets, against the system and each other, in network namespaces of the tests. */
@Timeout(60)
@Isolated("it counts what the process has open")
final class DevicePortsTest {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int TYPE = 12;
    private static final short OURS = (short) 0x88B5;
    private static final int PACKETS = 32;
    private static final int CLONE_NEWNET = 0x4000_0000;
    private static final MethodHandle UNSHARE = Libc.ints("unshare", JAVA_INT);

    private final Arena arena = Arena.ofShared();
    private final PacketBurst out = new PacketBurst(arena, PACKETS, 2_048);
    private final PacketBurst in = new PacketBurst(arena, PACKETS, 2_048);
    private final PacketBurst all = new PacketBurst(arena, 1_024, 2_048);

    @Test
    void shouldCarryPacketsBothWaysUnchangedAndReceiveNoneOfItsOwn() throws InterruptedException {
        inNamespace(() -> {
            try (TapPort tap = tap("t0"); InterfacePort wire = wire("t0")) {
                up(tap, wire);
                for (int round = 0; round < 40; round++) {
                    fill(round, OURS);
                    assertEquals(PACKETS, tap.txBurst(out, 0));
                    expectAll(wire, "round " + round);
                    assertEquals(PACKETS, wire.txBurst(out, 0));
                    expectAll(tap, "round " + round);
                }
                all.clear();
                assertEquals(0, ours(wire), "its own packets");
                assertEquals(40L * PACKETS, wire.counts().get(PortCounter.TX_PACKETS));
                assertEquals(wire.counts().get(PortCounter.TX_BYTES), tap.counts().get(PortCounter.TX_BYTES));
                assertEquals(40L * PACKETS, tap.counts().get(PortCounter.TX_PACKETS));
            }
        });
    }

    /** However late packets are taken. */
    @Test
    void shouldHaveTheStampsOfTheKernel() throws InterruptedException {
        inNamespace(() -> {
            try (TapPort tap = tap("t0"); InterfacePort wire = wire("t0")) {
                up(tap, wire);
                fill(1, OURS);
                final long beforeNs = System.nanoTime();
                assertEquals(PACKETS, tap.txBurst(out, 0));
                final long sentNs = System.nanoTime();
                Thread.sleep(30);
                all.clear();
                until(() -> ours(wire) > 0);
                for (int packet = 0; packet < in.size(); packet++) {
                    if (in.bytes().get(SHORT, in.offset(packet) + TYPE) == OURS) {
                        final long ns = in.stamp(packet);
                        assertTrue(ns >= beforeNs - 1_000_000 && ns <= sentNs + 1_000_000, () -> "sent at " + beforeNs
                            + " to " + sentNs + ", stamp " + ns);
                    }
                }
            }
        });
    }

    @Test
    void shouldPutVlanTagsBack() throws InterruptedException {
        inNamespace(() -> {
            try (TapPort tap = tap("t0"); InterfacePort wire = wire("t0")) {
                up(tap, wire);
                fill(7, (short) 0x8100);
                for (int packet = 0; packet < PACKETS; packet++) {
                    // The system takes the tag of a packet that a TAP device receives out of it.
                    out.bytes().set(SHORT, out.offset(packet) + TYPE + 2, (short) (packet << 12 | 100 + packet));
                    out.bytes().set(SHORT, out.offset(packet) + TYPE + 4, OURS);
                }
                assertEquals(PACKETS, tap.txBurst(out, 0));
                expectAll(wire, "tagged");
            }
        });
    }

    @Test
    void shouldFinishChecksumsThatASenderLeftToTheDevice() throws InterruptedException {
        inNamespace(() -> {
            ip("link add v0 type veth peer name v1");
            ip("addr add 10.99.0.1/24 dev v0");
            ip("link set v0 up");
            ip("link set v1 up");
            ip("neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev v0");
            try (InterfacePort wire = wire("v1"); DatagramSocket socket = new DatagramSocket()) {
                up(wire);
                for (int length = 1; length < PACKETS; length++) {
                    final byte[] payload = new byte[length * 40 + length % 2];
                    new Random(length).nextBytes(payload);
                    socket.send(new DatagramPacket(payload, payload.length, InetAddress.getByName("10.99.0.2"), 9));
                    all.clear();
                    until(() -> receive(wire, this::isUdp) > 0, wire);
                    final long udp = all.offset(0) + 34;
                    assertEquals(payload.length + 42, all.length(0));
                    assertEquals(0xFFFF, PcapRig.transportSum(all.bytes(), all.offset(0) + 14,
                        all.length(0) - 14), "length=" + payload.length + " checksum="
                        + (all.bytes().get(SHORT, udp + 6) & 0xFFFF));
                }
            }
        });
    }

    @Test
    void shouldGoDownAndUpWithTheDeviceAndFailWithoutIt() throws InterruptedException {
        inNamespace(() -> {
            try (TapPort tap = tap("t0"); InterfacePort wire = wire("t0")) {
                assertFalse(tap.isUp());
                up(tap, wire);
                assertEquals("the device is up", tap.status());
                ip("link set t0 down");
                fill(1, OURS);
                assertEquals(0, tap.txBurst(out, 0));
                assertFalse(tap.isUp());
                until(() -> !wire.isUp(), tap, wire);
                assertEquals(0, wire.txBurst(out, 0));
                ip("link set t0 name t1");
                ip("link set t1 up");
                until(() -> tap.isUp() && wire.isUp(), tap, wire);
                assertEquals(2, wire.counts().get(PortCounter.LINKS_UP));
                assertEquals(PACKETS, tap.txBurst(out, 0));
                expectAll(wire, "after it was down");
                ip("link del t1");
                assertOneLine("skerry: tap: t0: the device was removed",
                    assertThrows(InputException.class, () -> until(() -> false, tap)));
                assertOneLine("skerry: packet: t0: the interface was removed",
                    assertThrows(InputException.class, () -> until(() -> false, wire)));
            }
        });
    }

    @Test
    void shouldKnowTheMtuOfItsInterfaceAndNameWhatIsWrong() throws InterruptedException {
        inNamespace(() -> {
            ip("link add v0 type veth peer name v1");
            try (TapPort tap = tap("t0")) {
                assertFalse(tap.isUp());
                ip("link set t0 mtu 9100");
                try (InterfacePort wire = wire("t0")) {
                    assertEquals(List.of(9_100, 9_100), List.of(tap.interfaceMtu(), wire.interfaceMtu()));
                }
                refused("skerry: tap: t0: another process uses this device, ", () -> tap("t0"));
                refused("skerry: tap: v0: there is an interface of this name of another kind, ", () -> tap("v0"));
                refused("skerry: packet: nothing: there is no such interface, ", () -> wire("nothing"));
                refused("skerry: packet: lo: it is not an Ethernet interface, ", () -> wire("lo"));
            }
        });
    }

    @Test
    void shouldLeaveNothingBehind() throws InterruptedException {
        inNamespace(() -> {
            openAndClose();
            final long descriptors = descriptors();
            final long mappings = packetMappings();
            for (int i = 0; i < 20; i++) {
                openAndClose();
            }
            assertEquals(0, mappings);
            assertEquals(0, packetMappings());
            assertTrue(descriptors() <= descriptors + 2, "descriptors: " + descriptors + " to " + descriptors());
            assertFalse(Files.exists(Path.of("/proc/thread-self/net/dev_snmp6/t0")));
        });
    }

    private void openAndClose() throws IOException {
        try (TapPort tap = tap("t0"); InterfacePort wire = wire("t0")) {
            assertTrue(packetMappings() > 0);
            assertFalse(tap.isUp() && wire.isUp());
        }
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    private static long packetMappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("socket:")).count();
        }
    }

    private static TapPort tap(final String name) {
        return TapPort.open(TapSettings.parse("tap:" + name));
    }

    private static InterfacePort wire(final String name) {
        return InterfacePort.open(InterfaceSettings.parse("packet:" + name + ",ring=4"));
    }

    private static void refused(final String line, final Runnable opening) {
        assertOneLine(line, assertThrows(InputException.class, opening::run));
    }

    private static void assertOneLine(final String start, final InputException error) {
        assertTrue(error.getMessage().startsWith(start), error.getMessage());
        assertEquals(1, error.getMessage().lines().count());
    }

    /** Raises the device of a TAP port and waits until all ports see it. */
    private void up(final PacketPort... ports) throws Exception {
        if (ports[0] instanceof TapPort) {
            ip("link set t0 addrgenmode none");
            ip("link set t0 up");
        }
        until(() -> Stream.of(ports).allMatch(PacketPort::isUp), ports);
    }

    private static void until(final BooleanSupplier so, final PacketPort... ports) {
        while (!so.getAsBoolean()) {
            for (final PacketPort port : ports) {
                port.poll(System.nanoTime());
            }
            if (Thread.interrupted()) {
                fail("it never happened");
            }
            Thread.yield();
        }
    }

    /** Fills the burst with packets of 14 to 1,514 bytes. */
    private void fill(final int seed, final short type) {
        final Random random = new Random(seed);
        out.clear();
        for (int packet = 0; packet < PACKETS; packet++) {
            final byte[] bytes = new byte[packet == 0 && type == OURS ? 14 : 20 + random.nextInt(1_495)];
            random.nextBytes(bytes);
            bytes[0] = 2;
            bytes[6] = 2;
            bytes[TYPE] = (byte) (type >>> 8);
            bytes[TYPE + 1] = (byte) type;
            assertTrue(out.append(MemorySegment.ofArray(bytes), 0, bytes.length));
        }
    }

    private void expectAll(final PacketPort port, final String when) {
        all.clear();
        until(() -> ours(port) >= PACKETS);
        assertEquals(PACKETS, all.size(), when);
        for (int packet = 0; packet < PACKETS; packet++) {
            assertEquals(out.length(packet), all.length(packet), when + ", packet " + packet);
            assertEquals(-1, out.bytes().asSlice(out.offset(packet), out.length(packet))
                .mismatch(all.bytes().asSlice(all.offset(packet), out.length(packet))), when + ", packet " + packet);
        }
    }

    private int ours(final PacketPort port) {
        return receive(port, packet -> in.bytes().get(SHORT, in.offset(packet) + TYPE) == OURS
            || in.bytes().get(SHORT, in.offset(packet) + TYPE) == (short) 0x8100);
    }

    private boolean isUdp(final int packet) {
        return in.bytes().get(SHORT, in.offset(packet) + TYPE) == 0x0800;
    }

    /** Collects what has come and is no chatter of the system; returns how many packets there are by now. */
    private int receive(final PacketPort port, final IntPredicate wanted) {
        in.clear();
        port.rxBurst(in);
        for (int packet = 0; packet < in.size(); packet++) {
            if (wanted.test(packet)) {
                assertTrue(all.append(in.bytes(), in.offset(packet), in.length(packet)));
            }
        }
        return all.size();
    }

    /**
     * Runs a test in a network namespace that nothing else uses, or skips it with the reason why this machine does not
     * allow it. A thread of its own leaves the namespace of the process. Sockets and devices of this thread, and the
     * programs it starts, are in the new one, which ends with the thread.
     */
    private static void inNamespace(final Body test) throws InterruptedException {
        assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "skipped: /dev/net/tun may not be opened here");
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final AtomicReference<String> refused = new AtomicReference<>("");
        final Thread thread = new Thread(() -> {
            final long result = Libc.call(UNSHARE, CLONE_NEWNET);
            if (result < 0) {
                refused.set("skipped: no network namespace may be made here: errno=" + -result);
                return;
            }
            try {
                test.run();
            } catch (final Throwable e) {
                failure.set(e);
            }
        }, "namespace");
        thread.start();
        try {
            thread.join();
        } catch (final InterruptedException timeout) {
            // The test's time limit: the body sees it too.
            thread.interrupt();
            thread.join();
        }
        assumeTrue(refused.get().isEmpty(), refused.get());
        switch (failure.get()) {
            case null -> { }
            case final Error error -> throw error;
            case final RuntimeException error -> throw error;
            case final InterruptedException error -> throw error;
            default -> throw new IllegalStateException(failure.get());
        }
    }

    /** Runs {@code ip} with arguments. */
    private static void ip(final String arguments) throws Exception {
        final Process process = new ProcessBuilder(("ip " + arguments).split(" ")).redirectErrorStream(true).start();
        final String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), "ip " + arguments + ": " + said);
    }

    @FunctionalInterface
    private interface Body {
        void run() throws Exception;
    }
}
