package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Random cells against a string of bits, and every refusal of docs/spec/stardust.md §11. */
final class StardustHeaderTest {
    private static final long SEED = 0x57A2_D057L;
    private static final StardustHeader N62 = new StardustHeader(256, 40, 8, 256);
    /** All fields of a cell of N62 with 3 bytes of payload. */
    private static final int[] VALID = {0, 2, 1, 0, 1, 0, 7, 255, 254, 39, 7, -5, 3, 0, 2, 0};
    private static final byte[] NOTHING = {};
    private static final StardustControl CONTROL = new StardustControl(200, 40, 8);

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final byte[] bytes = new byte[40];
    private final MemorySegment segment = MemorySegment.ofArray(bytes);
    private final MemorySegment frame = segment.asSlice(5);

    @ParameterizedTest
    @CsvSource({"0, 1, 1, 1, adapters=0", "65536, 1, 1, 1, adapters=65536", "1, 0, 1, 1, ports=0",
        "1, 4097, 1, 1, ports=4097", "1, 1, 17, 1, classes=17", "1, 1, 1, 513, payloadBytes=513",
        "1, 1, 1, 0, payloadBytes=0"})
    void shouldRefuseFabricsThatDoNotFit(final int adapters, final int ports, final int classes, final int payload,
        final String what) {
        final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
            () -> new StardustHeader(adapters, ports, classes, payload));
        assertTrue(refusal.getMessage().contains(what), refusal.getMessage());
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
        assertEquals(expected, CONTROL.check(MemorySegment.ofArray(message), 0, message.length));
    }

    @Test
    void shouldWriteAndReadBackEveryField() {
        final SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 10_000; round++) {
            final String at = "seed=" + SEED + " round=" + round;
            final StardustHeader header = new StardustHeader(random.nextInt(1, 1 << 16), random.nextInt(1, 4_097),
                random.nextInt(1, 17), random.nextInt(1, 513));
            final byte[] payload = new byte[random.nextInt(1, header.payloadBytes() + 1)];
            random.nextBytes(payload);
            final int[] f = {random.nextInt(2), random.nextInt(4), 1, 0, random.nextInt(2), 0, random.nextInt(16),
                random.nextInt(header.adapters()), random.nextInt(header.adapters()), random.nextInt(header.ports()),
                random.nextInt(header.classes()), random.nextInt(), payload.length, 0,
                random.nextBoolean() ? StardustHeader.NO_START : random.nextInt(payload.length), 0};
            final int offset = random.nextInt(20);
            final byte[] bytes = HeaderBits.framed(payload, offset + 16, 4 + 5, (byte) round);
            final MemorySegment cell = MemorySegment.ofArray(bytes);

            final long head = header.head(f[0], f[1], f[6] + 16 * round, f[7], f[8], f[9], f[10])
                | (f[4] == 1 ? StardustHeader.EOC : 0);
            final long tail = header.tail(f[11], f[12], f[14]);
            final int length = StardustHeader.write(cell, offset, head, tail);

            assertEquals(StardustHeader.frameBytes(payload.length), length, at);
            final byte[] model = StardustBits.frame(StardustBits.CELL, payload, f);
            assertArrayEquals(HeaderBits.framed(model, offset, 5, (byte) round), bytes, at);
            assertEquals(HeaderFault.NONE, header.check(cell, offset, length), at);
            assertEquals(head, StardustHeader.readHead(cell, offset), at);
            assertEquals(tail, StardustHeader.readTail(cell, offset), at);
            assertArrayEquals(f, fields(head, tail), at);
            assertEquals(HeaderFault.NONE, header.checkAtAdapter(head, f[7]), at);
            assertEquals((f[8] << 12 | f[9]) << 4 | f[10], StardustHeader.stream(head), at);
            shouldMark(random, header, cell, offset, length, at);
        }
    }

    /** Only byte 1 changes, the level only rises, and the new CRC does not hide earlier damage. */
    private static void shouldMark(final SplittableRandom random, final StardustHeader header,
        final MemorySegment cell, final int offset, final int length, final String at) {
        final long head = StardustHeader.readHead(cell, offset);
        int highest = 0;
        for (int mark = 0; mark < 3; mark++) {
            final int level = random.nextInt(4);
            highest = Math.max(highest, level);
            StardustHeader.mark(cell, offset, level);
            assertEquals(highest, StardustHeader.fci(StardustHeader.readHead(cell, offset)), at);
            assertEquals(head, StardustHeader.readHead(cell, offset) & ~(3L << 54), at);
            assertEquals(HeaderFault.NONE, header.check(cell, offset, length), at);
        }
        HeaderBits.flip((byte[]) cell.heapBase().orElseThrow(), (offset + 16) * 8 + random.nextInt((length - 20) * 8));
        StardustHeader.mark(cell, offset, 3);
        assertEquals(HeaderFault.CRC, header.check(cell, offset, length), at);
    }

    @ParameterizedTest
    @CsvSource({"2, 0, VERSION", "2, 2, VERSION", "0, 2, CELL_TYPE", "0, 3, CELL_TYPE", "0, 1, NONE",
        "5, 1, RESERVED_BIT", "13, 1, RESERVED_BIT", "13, 32, RESERVED_BIT", "15, 1, RESERVED_BIT",
        "8, 256, SOURCE", "7, 256, DESTINATION", "12, 0, PAYLOAD_LENGTH", "12, 2, PAYLOAD_LENGTH",
        "12, 4, PAYLOAD_LENGTH", "12, 1023, PAYLOAD_LENGTH", "14, 3, FIRST_START", "14, 1022, FIRST_START",
        "14, 1023, NONE", "14, 0, NONE", "9, 40, NONE", "10, 8, NONE", "3, 3, NONE", "4, 0, NONE", "6, 15, NONE"})
    void shouldNameWhatIsWrong(final int field, final int value, final HeaderFault expected) {
        final int[] fields = VALID.clone();
        fields[field] = value;
        final byte[] frame = StardustBits.frame(StardustBits.CELL, new byte[3], fields);
        assertEquals(expected, N62.check(MemorySegment.ofArray(frame), 0, frame.length));
    }

    @Test
    void shouldNameWhatIsWrongAtAnAdapter() {
        final long head = N62.head(0, 0, 0, 9, 8, 39, 7);
        assertEquals(HeaderFault.NONE, N62.checkAtAdapter(head, 9));
        assertEquals(HeaderFault.NOT_HERE, N62.checkAtAdapter(head, 8));
        assertEquals(HeaderFault.PORT, N62.checkAtAdapter(head + 16, 9));
        assertEquals(HeaderFault.TRAFFIC_CLASS, N62.checkAtAdapter(head + 1, 9));
    }

    @Test
    void shouldSeeEveryFlippedBit() {
        final byte[] frame = StardustBits.frame(StardustBits.CELL, new byte[3], VALID);
        final MemorySegment cell = MemorySegment.ofArray(frame);
        for (int bit = 0; bit < frame.length * 8; bit++) {
            HeaderBits.flip(frame, bit);
            assertEquals(HeaderFault.CRC, N62.check(cell, 0, frame.length), "bit=" + bit);
            HeaderBits.flip(frame, bit);
        }
        assertEquals(HeaderFault.NONE, N62.check(cell, 0, frame.length));
    }

    @Test
    void shouldRefuseFramesThatDoNotLieInTheSegment() {
        final byte[] bytes = new byte[400];
        final MemorySegment segment = MemorySegment.ofArray(bytes);
        final int[][] places = {{0, 20}, {0, 277}, {0, -1}, {0, Integer.MIN_VALUE}, {-1, 30}, {371, 30}, {0, 0}};
        for (final int[] place : places) {
            assertEquals(HeaderFault.WRONG_LENGTH, N62.check(segment, place[0], place[1]));
        }
        assertEquals(HeaderFault.CRC, N62.check(segment, 370, 30));
        assertEquals(HeaderFault.CRC, N62.check(segment, 0, 276));
        assertThrows(IndexOutOfBoundsException.class, () -> StardustHeader.write(segment, 370, 1, N62.tail(1, 11, 0)));
        assertThrows(IndexOutOfBoundsException.class, () -> StardustHeader.write(segment, -1, 1, N62.tail(1, 11, 0)));
        assertArrayEquals(new byte[400], bytes, "a refused write must leave nothing behind");
    }

    private static int[] fields(final long head, final long tail) {
        return new int[] {StardustHeader.type(head), StardustHeader.priority(head), StardustHeader.version(head),
            StardustHeader.fci(head), StardustHeader.isEndOfCredit(head) ? 1 : 0, 0, StardustHeader.epoch(head),
            StardustHeader.destination(head), StardustHeader.source(head), StardustHeader.port(head),
            StardustHeader.trafficClass(head), StardustHeader.sequence(tail), StardustHeader.length(tail), 0,
            StardustHeader.firstStart(tail), 0};
    }

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
            CONTROL.encodeReachability(frame, sender, faulty, block, tier, counter, map, 2 * block);
            assertWritten(StardustBits.frame(StardustBits.REACHABILITY, model, 2, 0, 1, faulty ? 1 : 0, sender, block,
                tier, counter & 0xFF), round);
            final long head = StardustHeader.readHead(segment, 5);
            assertEquals(faulty, StardustControl.flag(head));
            assertArrayEquals(new long[] {StardustControl.REACHABILITY, sender, block, tier, counter & 0xFF,
                map[2 * block], map[2 * block + 1]}, new long[] {StardustControl.kind(head), StardustControl.from(head),
                    StardustControl.to(head), StardustControl.tier(head), StardustControl.reachabilityCounter(head),
                    StardustControl.map(segment, 5, 0), StardustControl.map(segment, 5, 1)});
        }
        assertEquals(2, CONTROL.blocks());
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
            CONTROL.encodeRequest(frame, from, to, port, trafficClass, state, amount, counter);
            assertWritten(StardustBits.frame(StardustBits.REQUEST, NOTHING, 2, 1, 1, trafficClass, state, from, to,
                port, amount, counter & 0xFFFF, 0), round);
            final long request = StardustHeader.readHead(segment, 5);
            final long requestTail = StardustHeader.readTail(segment, 5);
            assertArrayEquals(new int[] {state, trafficClass, amount, counter & 0xFFFF},
                new int[] {StardustControl.state(request), StardustControl.trafficClass(request),
                    StardustControl.amount(requestTail), StardustControl.requestCounter(requestTail)});

            CONTROL.encodeCredit(frame, from, to, port, trafficClass, amount, counter);
            assertWritten(StardustBits.frame(StardustBits.CREDIT, NOTHING, 2, 2, 1, trafficClass, from, to, port,
                amount, counter), round);
            final long credit = StardustHeader.readHead(segment, 5);
            final long creditTail = StardustHeader.readTail(segment, 5);
            assertArrayEquals(new int[] {StardustControl.CREDIT, from, to, port, trafficClass, amount, counter},
                new int[] {StardustControl.kind(credit), StardustControl.from(credit), StardustControl.to(credit),
                    StardustControl.port(credit), StardustControl.trafficClass(credit),
                    StardustControl.amount(creditTail), StardustControl.creditCounter(creditTail)});
        }
    }

    @Test
    void shouldWritePauses() {
        for (int round = 0; round < 2_000; round++) {
            final int link = random.nextInt(1 << 16);
            final int counter = random.nextInt();
            final boolean on = random.nextBoolean();
            StardustControl.encodePause(frame, on, link, counter);
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
        assertEquals(ControlFault.NONE, CONTROL.check(segment, 5, model.length), at);
        for (final int wrong : new int[] {model.length - 1, model.length + 1}) {
            assertEquals(wrong < 12 ? ControlFault.TRUNCATED : ControlFault.CRC, CONTROL.check(segment, 5, wrong), at);
        }
        final int bit = random.nextInt(model.length * 8);
        HeaderBits.flip(bytes, 40 + bit);
        assertEquals(ControlFault.CRC, CONTROL.check(segment, 5, model.length), at);
        HeaderBits.flip(bytes, 40 + bit);
        Arrays.fill(bytes, 5 + model.length, bytes.length, (byte) 0);
    }

    @Test
    void shouldRefuseAdaptersThatTheFabricLacks() {
        for (int bit = 0; bit < 128; bit++) {
            final byte[] map = new byte[16];
            map[bit / 8] = (byte) (1 << bit % 8);
            final byte[] message = StardustBits.frame(StardustBits.REACHABILITY, map, 2, 0, 1, 0, 9, 1, 2, 3);
            assertEquals(bit < 72 ? ControlFault.NONE : ControlFault.NODE_OUT_OF_RANGE,
                CONTROL.check(MemorySegment.ofArray(message), 0, message.length), "bit=" + bit);
        }
    }

    @ParameterizedTest
    @CsvSource({"200, 1, 3, 4", "-1, 1, 3, 4", "1, 200, 3, 4", "1, -1, 3, 4", "1, 2, 40, 4", "1, 2, -1, 4",
        "1, 2, 3, 8", "1, 2, 3, -1"})
    void shouldAssertThatAQueueExists(final int from, final int to, final int port, final int trafficClass) {
        assertThrows(AssertionError.class, () -> CONTROL.encodeRequest(frame, from, to, port, trafficClass, 1, 9, 5));
        assertThrows(AssertionError.class, () -> CONTROL.encodeCredit(frame, from, to, port, trafficClass, 4096, 5));
    }

    @Test
    void shouldWriteNothingWhereThereIsNoRoom() {
        assertThrows(IndexOutOfBoundsException.class,
            () -> CONTROL.encodeCredit(segment.asSlice(21), 1, 2, 3, 4, 4096, 5));
        assertThrows(IndexOutOfBoundsException.class,
            () -> StardustControl.encodePause(segment.asSlice(29), true, 3, 4));
        assertArrayEquals(new byte[40], bytes);
        assertEquals(ControlFault.TRUNCATED, CONTROL.check(segment, 30, 12));
        assertEquals(ControlFault.TRUNCATED, CONTROL.check(segment, -1, 12));
        assertEquals(ControlFault.TRUNCATED, CONTROL.check(segment, 0, Integer.MIN_VALUE));
        assertThrows(IllegalArgumentException.class, () -> new StardustControl(0, 1, 1));
    }
}
