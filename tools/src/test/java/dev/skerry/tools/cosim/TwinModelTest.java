package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.TwinRig.refuses;
import static dev.skerry.tools.cosim.TwinRig.resolved;
import static dev.skerry.tools.cosim.TwinRig.step;
import static dev.skerry.tools.cosim.TwinRig.twin;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.dataplane.pieo.Pieo;
import dev.skerry.dataplane.pieo.PieoList;
import dev.skerry.nic.shoal.ShoalCell;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * Models accept every row of their stimulus, and answer like obvious reference models. What is drawn for a Shale node
 * is what neighbours may send, also when rows are left out, as shrinking does.
 */
final class TwinModelTest {
    private static final int STEPS = 20_000;

    private static final int PAYLOAD = 20;
    private static final int NODE_SLOTS = 5_000;
    private static final String NODE = "shale-node node=5 nodes=16 h=2 firstHopTokens=2 propagation=3 "
        + "workload=permutation";
    private static final String SHOAL_NODE = "shoal-node node=3 nodes=8 channels=1 propagation=5 "
        + "workload=all-to-all flowBytes=10000";

    @ParameterizedTest
    @ValueSource(strings = {"pieo capacity=64 idBits=7", "pieo capacity=3 rankBits=2 timeBits=3", "pieo capacity=1",
        "switch ports=4 rows=1,2,3,0/2,3,-1,1/-1,-1,0,3", "switch ports=1 rows=0", "shoal nodes=2", "shoal classes=4",
        "shale", "shale layout=L12F nodes=2 phases=1", "shale layout=L12F failures=1",
        "shale layout=L16 nodes=4096 phases=6 failures=1"})
    void shouldTakeEveryRowDrawnAndCoverEveryCase(final String description) {
        final Twin twin = twin(description);
        final Stimulus stimulus = twin.stimulus(Map.of());
        final SplittableRandom random = new SplittableRandom(1);
        final long[] row = new long[twin.names().inputs().length];
        stimulus.begin(twin);
        for (int i = 0; i < STEPS; i++) {
            stimulus.draw(random, row);
            stimulus.covered(row, resolved(twin, row));
        }
        final String covered = stimulus.coverage + ",";
        for (final String rule : List.of("full ", "empty ")) {
            assertTrue(covered.contains(rule) && !covered.contains(rule + "0,"), covered);
        }
    }

    /** As cosim draws them, from one reset and the next. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"pieo capacity=16 idBits=5|together", "switch ports=2 rows=1,0|none",
        "shoal nodes=64|relay", "shale|noise", NODE + "|passing",
        SHOAL_NODE + "|home"})
    void shouldGiveRowsAsStimulus(final String line, final String choice) {
        final ModelHandle rows = ModelHandle.open("stimulus " + line + " stimulusSeed=7 weights=" + choice + ":20");
        final SplittableRandom seeds = new SplittableRandom(7);
        final Stimulus stimulus = twin(line).stimulus(Map.of(choice, 20));
        for (int sequence = 0; sequence < 2; sequence++) {
            final Twin twin = twin(line);
            final long[] row = new long[twin.names().inputs().length];
            final SplittableRandom random = seeds.split();
            long[] answer = new long[twin.names().outputs().length];
            stimulus.begin(twin);
            for (int i = 0; i < 2_000; i++) {
                stimulus.draw(random, row);
                final long[] before = answer;
                answer = resolved(twin, row);
                assertArrayEquals(row, step(rows, before), line + " step " + i);
            }
            rows.set("slot", new long[1]);
        }
        rows.close();
    }

    /** A wrong device gets rows, too. */
    @ParameterizedTest
    @ValueSource(strings = {NODE, SHOAL_NODE})
    void shouldGiveRowsToADeviceThatSendsNoise(final String line) {
        final ModelHandle rows = ModelHandle.open("stimulus " + line);
        final SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < NODE_SLOTS; i++) {
            final long[] row = step(rows, random.nextLong() >> random.nextInt(64), random.nextLong(),
                random.nextLong() >> random.nextInt(64));
            assertTrue(row[0] == i && row[1] >= -2, () -> Arrays.toString(row));
        }
        rows.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "lifo"})
    void shouldAnswerAsThePlainList(final String ties) {
        final Twin twin = twin("pieo capacity=16 idBits=5 ties=" + ties);
        final Stimulus stimulus = twin.stimulus(Map.of("absent", 0));
        final SplittableRandom random = new SplittableRandom(7);
        final PieoList list = new PieoList();
        final long[] row = new long[twin.names().inputs().length];
        stimulus.begin(twin);
        for (int i = 0; i < STEPS; i++) {
            stimulus.draw(random, row);
            final long[] answer = resolved(twin, row);
            final String where = "seed 7 step " + i;
            if ((row[0] & PieoTwin.ENQUEUE) != 0) {
                assertEquals(list.size() < 16 ? Pieo.DONE : Pieo.FULL, answer[0], where);
                if (answer[0] == Pieo.DONE) {
                    // Newest first: an element goes before all others of its rank.
                    list.enqueue(new PieoList.Element((int) row[1], row[2] * STEPS - (ties.equals("lifo") ? i : 0),
                        row[3]));
                }
            } else {
                final PieoList.Element expected = (row[0] & PieoTwin.DEQUEUE) != 0
                    ? list.dequeue(row[3]) : list.dequeueF((int) row[1]);
                assertEquals(expected == null ? Pieo.NOTHING : Pieo.DONE, answer[0], where);
                if (expected != null) {
                    assertArrayEquals(new long[] {Pieo.DONE, expected.id(), Math.ceilDiv(expected.rank(), STEPS),
                        expected.sendTime()},
                        Arrays.copyOf(answer, 4), where);
                }
            }
        }
    }

    @Test
    void shouldRefuseARowWithoutAStep() {
        final Twin twin = twin("switch ports=2 rows=1,0");
        assertThrows(IllegalArgumentException.class, () -> resolved(twin, new long[] {0, 0, 1, 3, 2, 0}));
        final long[] answer = resolved(twin, new long[] {0, 0, 1, 0, 2, 0});
        assertArrayEquals(new long[] {2, 1, 0, 2, 2, 0, 0, 0, 0, 0, 0}, answer);
    }

    @Test
    void shouldRefuseTokensThatNoHeaderHolds() {
        final Twin twin = twin("shale");
        final long allOnes = 1 << 23 | 32767 << 3 | 3;
        for (final long token : new long[] {allOnes, 2 << 23, 1 << 23 | 4, 5, -1, 1L << 31}) {
            assertThrows(IllegalArgumentException.class,
                () -> resolved(twin, new long[] {0, 1, 2, 0, 0, token, 0, 0, 0}), "token=" + token);
        }
        resolved(twin, new long[] {0, 1, 2, 0, 0, allOnes - 1, 0, 0, 0});
    }

    /** Bytes as words, the first byte the most significant one. */
    private static long[] words(final byte[] bytes) {
        final ByteBuffer buffer = ByteBuffer.wrap(Arrays.copyOf(bytes, (bytes.length + 7) / 8 * 8));
        final long[] words = new long[buffer.capacity() / Long.BYTES];
        buffer.asLongBuffer().get(words);
        return words;
    }

    private static long[] row(final int op, final long[]... parts) {
        return LongStream.concat(LongStream.of(op), Arrays.stream(parts).flatMapToLong(Arrays::stream)).toArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"L12", "L12F", "L16", "shoal", "shoal-classes", "shale-prototype"})
    void shouldWriteAndReadAsTheDescriptionDoes(final String name) {
        final long seed = 24;
        final SplittableRandom random = new SplittableRandom(seed);
        final HeaderDescription header = HeaderDescription.builtIn(name);
        final HeaderTwin twin = new HeaderTwin(name, PAYLOAD);
        final int headerWords = (header.bytes() + 7) / 8;
        for (int round = 0; round < 500; round++) {
            final byte[] payload = new byte[PAYLOAD];
            random.nextBytes(payload);
            final long[] values = new long[header.size()];
            for (int field = 0; field < values.length; field++) {
                values[field] = random.nextLong(1L << header.fieldBits(field));
            }
            final byte[] bytes = header.pack(values, payload);
            final String where = name + " seed=" + seed + " round=" + round;
            final long[] written = step(twin, row(HeaderTwin.ENCODE, new long[headerWords], values, words(payload)));
            assertArrayEquals(words(bytes), Arrays.copyOfRange(written, 2, 2 + headerWords), where);
            bytes[random.nextInt(bytes.length)] ^= (byte) (random.nextInt(2) << random.nextInt(Byte.SIZE));
            final long[] read = step(twin, row(HeaderTwin.DECODE, words(bytes), new long[values.length],
                words(payload)));
            final List<String> faults = header.faults(bytes, payload);
            assertEquals(faults.size(), read[0], where);
            assertEquals(String.join("\n", faults), twin.report(), where);
            assertEquals(header.cell(header.unpack(bytes)).state().ordinal(), read[1], where);
            assertArrayEquals(header.unpack(bytes), Arrays.copyOfRange(read, 2 + headerWords, read.length), where);
        }
        assertTrue(twin.reported() > 0 || List.of("shale-prototype").contains(name), "no header was damaged");
    }

    @Test
    void shouldDescribeItself() {
        final long[] described = step(new HeaderTwin("shale-prototype", PAYLOAD), HeaderTwin.DESCRIBE);
        assertArrayEquals(new long[] {11, PAYLOAD, 0, 0, 9, 9, 9, 9, 3, 14, 3, 9, 3, 9, 3, 1, 7}, described);
    }

    @Test
    void shouldRefuseAValueThatDoesNotFit() {
        final HeaderTwin twin = new HeaderTwin("L12", 0);
        refuses("source has 15 bits", () -> step(twin, HeaderTwin.ENCODE, 0, 0, 1 << 15));
        assertThrows(IllegalArgumentException.class, () -> step(twin, 2));
    }

    private static List<long[]> drawn(final String line, final Stimulus stimulus, final long seed) {
        final Twin twin = twin(line);
        final SplittableRandom random = new SplittableRandom(seed);
        final List<long[]> rows = new ArrayList<>();
        stimulus.begin(twin);
        for (int slot = 0; slot < NODE_SLOTS; slot++) {
            final long[] row = new long[twin.names().inputs().length];
            stimulus.draw(random, row);
            stimulus.covered(row, resolved(twin, row));
            rows.add(row);
        }
        twin.close();
        return rows;
    }

    private static Stimulus stimulus(final String line) {
        final Twin twin = twin(line);
        try {
            return twin.stimulus(Map.of());
        } finally {
            twin.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {NODE, "shale-node node=5 nodes=9 h=2 tokens=3 propagation=0 workload=permutation",
        "shale-node node=7 nodes=27 h=3 firstHopTokens=2 propagation=11 workload=permutation sprayTies=rotating",
        SHOAL_NODE, "shoal-node node=0 nodes=8 channels=1 propagation=0 workload=all-to-all flowBytes=10000",
        "shoal-node node=2 nodes=6 channels=1 propagation=2 shoalSchedule=delay workload=all-to-all flowBytes=10000"})
    void shouldCoverEveryCaseOfANode(final String line) {
        final Stimulus stimulus = stimulus(line);
        drawn(line, stimulus, 1);
        assertFalse(stimulus.coverage.toString().matches(".* 0(,.*|$)"), line + " seed 1: " + stimulus.coverage);
    }

    @ParameterizedTest
    @ValueSource(strings = {NODE, SHOAL_NODE})
    void shouldStayLawfulWhereRowsAreLeftOut(final String line) {
        for (long seed = 1; seed <= 4; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final List<long[]> rows = drawn(line, stimulus(line), seed);
            rows.removeIf(row -> random.nextInt(3) == 0);
            final Twin twin = twin(line);
            final List<long[]> received = new ArrayList<>();
            final List<long[]> answers = new ArrayList<>();
            for (final long[] row : rows) {
                answers.add(resolved(twin, row));
                received.add(row.clone());
            }
            twin.close();
            assertTrue(received.stream().filter(row -> row[1] >= 0).count() > NODE_SLOTS / 10, "seed " + seed);
            shouldRepeat(line, received, answers, "seed " + seed);
        }
    }

    /** What a node received is lawful as it stands, so a replay changes nothing of it. */
    private static void shouldRepeat(final String line, final List<long[]> received, final List<long[]> answers,
        final String where) {
        final Twin twin = twin(line);
        for (int slot = 0; slot < received.size(); slot++) {
            final long[] row = received.get(slot).clone();
            assertArrayEquals(answers.get(slot), resolved(twin, row), where + " slot " + slot);
            assertArrayEquals(received.get(slot), row, where + " slot " + slot);
        }
        twin.close();
    }

    /** A neighbour has at most one cell for a destination in the node (docs/spec/shoal.md §4.6 I2). */
    @ParameterizedTest
    @ValueSource(ints = {0, 3, 5, 20})
    void shouldSendThroughAShoalNodeWhatItsReportsRelease(final int propagation) {
        final Twin twin = twin(SHOAL_NODE.replace("propagation=5", "propagation=" + propagation));
        final Stimulus stimulus = twin.stimulus(Map.of());
        final SplittableRandom random = new SplittableRandom(propagation);
        final long[] row = new long[4];
        int longest = 0;
        stimulus.begin(twin);
        for (int slot = 0; slot < NODE_SLOTS; slot++) {
            stimulus.draw(random, row);
            resolved(twin, row);
            for (int link = 0; link < 7; link++) {
                final long[] cells = twin.registers().get("queue" + link + "_cells");
                final long[] sources = new long[cells.length / 2];
                Arrays.setAll(sources, i -> ShoalCell.source(cells[2 * i]));
                longest = Math.max(longest, sources.length);
                assertEquals(sources.length, Arrays.stream(sources).distinct().count(), "slot " + slot);
            }
        }
        assertTrue(longest >= 6, "longest=" + longest);
        twin.close();
    }

    @Test
    void shouldTakeOutWhatNoNeighbourSends() {
        final Twin twin = twin(NODE);
        for (int slot = 0; slot < 3; slot++) {
            // Nothing can arrive before the propagation delay.
            final long[] row = {0, 8, 0, 120};
            resolved(twin, row);
            assertArrayEquals(new long[] {slot, -2, 0, -1}, row);
        }
        // Tokens that the node never spent, a flow that goes elsewhere, a sequence number below 0, two sprays too many.
        for (final long[] row : List.of(new long[] {0, -1, 0, 120}, new long[] {0, 8 * 15, 0, -1},
            new long[] {0, 0, 0x8000_0000L, -1}, new long[] {0, 3, 0, -1})) {
            resolved(twin, row);
            assertEquals(-1, row[1]);
            assertEquals(-1, row[3]);
        }
        twin.close();
    }

    @Test
    void shouldLetACellArriveOnce() {
        final Twin twin = twin(NODE);
        final List<long[]> rows = drawn(NODE, stimulus(NODE), 3);
        rows.forEach(row -> row[2] = row[2] >>> Integer.SIZE << Integer.SIZE | row[2] & 3);
        rows.forEach(row -> resolved(twin, row));
        final long[] cells = rows.stream().filter(row -> row[1] >= 0).mapToLong(row -> row[2]).toArray();
        assertTrue(cells.length > 10);
        assertEquals(cells.length, Arrays.stream(cells).distinct().count());
        twin.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shoal-node node=3 nodes=8 channels=2 workload=permutation",
        "shoal-node node=3 nodes=8 channels=1 shoalRule=basic workload=permutation",
        "shoal-node node=3 nodes=8 channels=1 failures=1 workload=permutation",
        "shale-node node=3 nodes=16 cc=rd workload=permutation"})
    void shouldDrawForNodesWithKnownNeighboursOnly(final String line) {
        assertThrows(IllegalArgumentException.class, () -> stimulus(line));
    }
}
