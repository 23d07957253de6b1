package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.ShoalTwin.CELL;
import static dev.skerry.tools.cosim.ShoalTwin.CELL_WORDS;
import static dev.skerry.tools.cosim.ShoalTwin.DECODE;
import static dev.skerry.tools.cosim.ShoalTwin.ENCODE;
import static dev.skerry.tools.cosim.ShoalTwin.RELAY;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShoalHeader;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Draws operations on Shoal cells: encode, decode, decode of a damaged cell, relay. Payloads are empty or random with
 * equal probability.
 */
final class ShoalStimulus implements Stimulus {
    private static final ValueLayout.OfLong BIG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int DAMAGED_BITS = 3;

    private final Weights weights;
    private final Coverage coverage = new Coverage("empty", "full", "wrap", "dummy", "control", "valid", "damaged",
        "other fault");
    private final ShoalHeader header;
    /** Header of the largest fabric. It encodes values that are invalid in the model's fabric. */
    private final ShoalHeader anyNode;
    private final MemorySegment cell = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, CELL_WORDS);

    ShoalStimulus(final ShoalHeader header, final Map<String, Integer> weights) {
        this.header = header;
        this.anyNode = new ShoalHeader(ShoalHeader.MAX_NODES, ShoalHeader.MAX_CLASSES, CellFormat.SHOAL);
        this.weights = new Weights("encode=3", "valid=3", "foreign=1", "damaged=2", "noise=1", "relay=2").with(weights);
    }

    @Override
    public void begin(final Twin twin) {
        // The codec has no state.
    }

    @Override
    public void draw(final SplittableRandom random, final long[] row) {
        final String choice = weights.draw(random);
        final int nodes = header.nodes();
        final boolean quiet = random.nextInt(4) == 0;
        for (int word = 0; word < CELL_WORDS; word++) {
            row[CELL + word] = quiet ? 0 : random.nextInt(8) == 0 ? -1 : random.nextLong();
        }
        row[ShoalTwin.OP] = choice.equals("encode") ? ENCODE : choice.equals("relay") ? RELAY : DECODE;
        row[ShoalTwin.DESTINATION] = random.nextInt(nodes);
        row[ShoalTwin.SOURCE] = random.nextInt(3) == 0 ? row[ShoalTwin.DESTINATION] : random.nextInt(nodes);
        row[ShoalTwin.CLASS] = random.nextInt(header.classes());
        row[ShoalTwin.SEQUENCE] = random.nextInt(8) == 0 ? (1 << header.sequenceBits()) - 1
            : random.nextInt(1 << header.sequenceBits());
        row[ShoalTwin.FEEDBACK] = random.nextInt(header.maxFeedback() + 1);
        row[ShoalTwin.FLAGS] = choice.equals("relay") ? random.nextInt(2) : random.nextInt(8);
        if (row[ShoalTwin.OP] != ENCODE && !choice.equals("noise")) {
            write(random, row, choice.equals("foreign"));
            if (choice.equals("damaged")) {
                for (int bit = random.nextInt(DAMAGED_BITS); bit >= 0; bit--) {
                    row[CELL + random.nextInt(CELL_WORDS)] ^= 1L << random.nextInt(Long.SIZE);
                }
            }
        }
    }

    /** Writes a cell to decode: a valid one, or one that only another fabric accepts. */
    private void write(final SplittableRandom random, final long[] row, final boolean foreign) {
        final ShoalHeader writer = foreign ? anyNode : header;
        final int destination = random.nextInt(writer.nodes());
        final int source = random.nextInt(4) == 0 ? destination : random.nextInt(writer.nodes());
        final int feedback = random.nextInt(writer.maxFeedback() + 1);
        for (int word = 1; word < CELL_WORDS; word++) {
            cell.setAtIndex(BIG, word, row[CELL + word]);
        }
        if (destination != source) {
            writer.encode(cell, 0, source, destination, random.nextInt(writer.classes()), random.nextInt(), feedback,
                random.nextInt(8));
        } else if (random.nextBoolean()) {
            writer.encodeDummy(cell, 0, source, feedback, random.nextInt(2));
        } else {
            writer.encodeControl(cell, 0, source, feedback, random.nextInt(2));
        }
        row[CELL] = cell.getAtIndex(BIG, 0);
    }

    @Override
    public void covered(final long[] row, final long[] answer) {
        final boolean decode = row[ShoalTwin.OP] == DECODE;
        final boolean ownSource = row[ShoalTwin.OP] == ENCODE && row[ShoalTwin.SOURCE] == row[ShoalTwin.DESTINATION];
        final boolean start = (row[ShoalTwin.FLAGS] & ShoalHeader.SOP) != 0;
        coverage.count("empty", row[CELL + 1] == 0 && row[CELL + CELL_WORDS - 1] == 0);
        coverage.count("full", row[CELL + 1] == -1 || row[CELL + CELL_WORDS - 1] == -1);
        coverage.count("wrap", row[ShoalTwin.OP] == ENCODE
            && row[ShoalTwin.SEQUENCE] == (1 << header.sequenceBits()) - 1);
        coverage.count("dummy", ownSource && !start);
        coverage.count("control", ownSource && start);
        coverage.count("valid", decode && answer[0] == HeaderFault.NONE.ordinal());
        coverage.count("damaged", decode && answer[0] == HeaderFault.CRC.ordinal());
        coverage.count("other fault", decode && answer[0] > HeaderFault.CRC.ordinal());
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }
}
