package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** The four messages against strings of bits, and every refusal of docs/spec/stardust.md §11. */
final class StardustControlTest {
    private static final long SEED = 0xC047_401L;
    private static final byte[] NOTHING = {};
    private static final StardustControl N62 = new StardustControl(200, 40, 8);

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final StardustFrame frame = new StardustFrame();
    private final byte[] bytes = new byte[40];
    private final MemorySegment segment = MemorySegment.ofArray(bytes);

    @Test
    void shouldWriteReachability() {
        for (int round = 0; round < 2_000; round++) {
            final long[] map = {random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong() & 0xFF};
            final int block = random.nextInt(2);
            final byte[] model = new byte[16];
            for (int fa = 0; fa < 128; fa++) {
                final int bit = 128 * block + fa;
                model[fa / 8] |= (byte) ((map[bit / 64] >>> bit % 64 & 1) << fa % 8);
            }
            final int sender = random.nextInt(1 << 16);
            final int tier = random.nextInt(256);
            final int counter = random.nextInt(1_000);
            final boolean faulty = random.nextBoolean();
            N62.encodeReachability(frame.at(segment, 5), sender, faulty, block, tier, counter, map, 2 * block);
            assertWritten(StardustBits.frame(StardustBits.REACHABILITY, model, 2, 0, 1, faulty ? 1 : 0, sender, block,
                tier, counter & 0xFF), round);
            final long head = StardustHeader.readHead(segment, 5);
            assertEquals(StardustControl.REACHABILITY, StardustControl.kind(head));
            assertEquals(faulty, StardustControl.flag(head));
            assertEquals(sender, StardustControl.from(head));
            assertEquals(block, StardustControl.to(head));
            assertEquals(tier, StardustControl.tier(head));
            assertEquals(counter & 0xFF, StardustControl.reachabilityCounter(head));
            assertEquals(map[2 * block], StardustControl.map(segment, 5, 0));
            assertEquals(map[2 * block + 1], StardustControl.map(segment, 5, 1));
        }
        assertEquals(2, N62.blocks());
    }

    @Test
    void shouldWriteRequestsAndCredits() {
        for (int round = 0; round < 2_000; round++) {
            final int from = random.nextInt(200);
            final int to = random.nextInt(200);
            final int port = random.nextInt(40);
            final int trafficClass = random.nextInt(8);
            final int state = random.nextInt(3);
            final int amount = random.nextInt(1, Integer.MAX_VALUE);
            final int counter = random.nextInt();
            N62.encodeRequest(frame.at(segment, 5), from, to, port, trafficClass, state, amount, counter);
            assertWritten(StardustBits.frame(StardustBits.REQUEST, NOTHING, 2, 1, 1, trafficClass, state, from, to,
                port, amount, counter & 0xFFFF, 0), round);
            final long request = StardustHeader.readHead(segment, 5);
            final long requestTail = StardustHeader.readTail(segment, 5);
            assertEquals(state, StardustControl.state(request));
            assertEquals(trafficClass, StardustControl.trafficClass(request));
            assertEquals(amount, StardustControl.amount(requestTail));
            assertEquals(counter & 0xFFFF, StardustControl.requestCounter(requestTail));

            N62.encodeCredit(frame.at(segment, 5), from, to, port, trafficClass, amount, counter);
            assertWritten(StardustBits.frame(StardustBits.CREDIT, NOTHING, 2, 2, 1, trafficClass, from, to, port,
                amount, counter), round);
            final long credit = StardustHeader.readHead(segment, 5);
            final long creditTail = StardustHeader.readTail(segment, 5);
            assertEquals(StardustControl.CREDIT, StardustControl.kind(credit));
            assertEquals(from, StardustControl.from(credit));
            assertEquals(to, StardustControl.to(credit));
            assertEquals(port, StardustControl.port(credit));
            assertEquals(trafficClass, StardustControl.trafficClass(credit));
            assertEquals(amount, StardustControl.amount(creditTail));
            assertEquals(counter, StardustControl.creditCounter(creditTail));
        }
    }

    @Test
    void shouldWritePauses() {
        for (int round = 0; round < 2_000; round++) {
            final int link = random.nextInt(1 << 16);
            final int counter = random.nextInt();
            final boolean on = random.nextBoolean();
            StardustControl.encodePause(frame.at(segment, 5), on, link, counter);
            assertWritten(StardustBits.frame(StardustBits.PAUSE, NOTHING, 2, 3, 1, on ? 1 : 0, link, counter), round);
            final long head = StardustHeader.readHead(segment, 5);
            assertEquals(on, StardustControl.flag(head));
            assertEquals(link, StardustControl.from(head));
            assertEquals(counter, StardustControl.pauseCounter(head));
        }
    }

    private void assertWritten(final byte[] model, final int round) {
        final String at = "seed=" + SEED + " round=" + round;
        assertArrayEquals(HeaderBits.framed(model, 5, bytes.length - 5 - model.length, (byte) 0), bytes, at);
        final int kind = StardustControl.kind(StardustHeader.readHead(segment, 5));
        assertEquals(model.length, StardustControl.frameBytes(kind), at);
        assertEquals(model.length - 4, StardustControl.bytes(kind), at);
        assertEquals(ControlFault.NONE, N62.check(segment, 5, model.length), at);
        for (final int wrong : new int[] {model.length - 1, model.length + 1}) {
            assertEquals(wrong < 12 ? ControlFault.TRUNCATED : ControlFault.CRC, N62.check(segment, 5, wrong), at);
        }
        final int bit = random.nextInt(model.length * 8);
        HeaderBits.flip(bytes, 40 + bit);
        assertEquals(ControlFault.CRC, N62.check(segment, 5, model.length), at);
        HeaderBits.flip(bytes, 40 + bit);
        Arrays.fill(bytes, 5 + model.length, bytes.length, (byte) 0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "REACHABILITY; 2 0 1 1 9 1 2 3; NONE", "REACHABILITY; 1 0 1 1 9 1 2 3; UNKNOWN_TYPE",
        "REACHABILITY; 2 0 2 1 9 1 2 3; UNKNOWN_VERSION", "REACHABILITY; 2 1 1 1 9 1 2 3; TRUNCATED",
        "REACHABILITY; 2 0 1 2 9 1 2 3; RESERVED_BITS", "REACHABILITY; 2 0 1 1 9 2 2 3; CHUNK_OUT_OF_RANGE",
        "REQUEST; 2 1 1 7 2 199 198 39 -1 5 0; NONE", "REQUEST; 2 1 1 7 2 199 198 39 -1 5 1; RESERVED_BITS",
        "REQUEST; 2 1 1 7 2 200 198 39 -1 5 0; NODE_OUT_OF_RANGE",
        "REQUEST; 2 1 1 7 2 199 200 39 -1 5 0; NODE_OUT_OF_RANGE",
        "REQUEST; 2 1 1 7 2 199 198 40 -1 5 0; QUEUE_OUT_OF_RANGE",
        "REQUEST; 2 1 1 8 2 199 198 39 -1 5 0; QUEUE_OUT_OF_RANGE",
        "REQUEST; 2 1 1 7 3 199 198 39 -1 5 0; UNKNOWN_STATE", "CREDIT; 2 2 1 7 199 198 39 4096 -1; NONE",
        "CREDIT; 2 2 1 23 199 198 39 4096 -1; RESERVED_BITS", "CREDIT; 2 2 1 7 200 198 39 4096 -1; NODE_OUT_OF_RANGE",
        "CREDIT; 2 2 1 7 199 198 39 0 -1; CREDIT_OUT_OF_RANGE", "CREDIT; 2 2 1 7 199 198 39 -1 1; CREDIT_OUT_OF_RANGE",
        "CREDIT; 2 3 1 1 199 198 39 4096 -1; TRUNCATED", "PAUSE; 2 3 1 1 65535 -1; NONE",
        "PAUSE; 2 3 1 2 65535 -1; RESERVED_BITS", "PAUSE; 2 1 1 1 65535 -1; TRUNCATED"})
    void shouldNameWhatIsWrong(final String kind, final String fields, final ControlFault expected) {
        final boolean map = "REACHABILITY".equals(kind);
        final int[] widths = switch (kind) {
            case "REACHABILITY" -> StardustBits.REACHABILITY;
            case "REQUEST" -> StardustBits.REQUEST;
            case "CREDIT" -> StardustBits.CREDIT;
            default -> StardustBits.PAUSE;
        };
        final byte[] message = StardustBits.frame(widths, new byte[map ? 16 : 0],
            Stream.of(fields.split(" ")).mapToInt(Integer::parseInt).toArray());
        assertEquals(expected, N62.check(MemorySegment.ofArray(message), 0, message.length));
    }

    @Test
    void shouldRefuseAdaptersThatTheFabricLacks() {
        for (int bit = 0; bit < 128; bit++) {
            final byte[] map = new byte[16];
            map[bit / 8] = (byte) (1 << bit % 8);
            final byte[] message = StardustBits.frame(StardustBits.REACHABILITY, map, 2, 0, 1, 0, 9, 1, 2, 3);
            assertEquals(bit < 72 ? ControlFault.NONE : ControlFault.NODE_OUT_OF_RANGE,
                N62.check(MemorySegment.ofArray(message), 0, message.length), "bit=" + bit);
        }
    }

    @ParameterizedTest
    @CsvSource({"200, 1, 3, 4", "-1, 1, 3, 4", "1, 200, 3, 4", "1, -1, 3, 4", "1, 2, 40, 4", "1, 2, -1, 4",
        "1, 2, 3, 8", "1, 2, 3, -1"})
    void shouldAssertThatAQueueExists(final int from, final int to, final int port, final int trafficClass) {
        frame.at(segment, 5);
        assertThrows(AssertionError.class, () -> N62.encodeRequest(frame, from, to, port, trafficClass, 1, 9, 5));
        assertThrows(AssertionError.class, () -> N62.encodeCredit(frame, from, to, port, trafficClass, 4096, 5));
    }

    @Test
    void shouldWriteNothingWhereThereIsNoRoom() {
        assertThrows(IndexOutOfBoundsException.class,
            () -> N62.encodeCredit(frame.at(segment, 21), 1, 2, 3, 4, 4096, 5));
        assertThrows(IndexOutOfBoundsException.class,
            () -> StardustControl.encodePause(frame.at(segment, -1), true, 3, 4));
        assertArrayEquals(new byte[40], bytes);
        assertEquals(ControlFault.TRUNCATED, N62.check(segment, 30, 12));
        assertEquals(ControlFault.TRUNCATED, N62.check(segment, -1, 12));
        assertEquals(ControlFault.TRUNCATED, N62.check(segment, 0, Integer.MIN_VALUE));
        assertThrows(IllegalArgumentException.class, () -> new StardustControl(0, 1, 1));
    }
}
