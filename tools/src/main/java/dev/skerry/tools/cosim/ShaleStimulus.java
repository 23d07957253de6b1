package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.ShaleTwin.DECODE;
import static dev.skerry.tools.cosim.ShaleTwin.ENCODE;
import static dev.skerry.tools.cosim.ShaleTwin.HEADER;
import static dev.skerry.tools.cosim.ShaleTwin.RELAY;

import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleLayout;
import dev.skerry.codec.ShaleToken;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.SplittableRandom;

/** Draws operations on Shale headers: encode, decode, decode of a damaged or foreign header, relay. */
final class ShaleStimulus implements Stimulus {
    private static final ValueLayout.OfLong BIG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int DAMAGED_BITS = 3;

    private final Weights weights;
    private final Coverage coverage = new Coverage("empty", "full", "wrap", "dummy", "valid", "damaged", "other fault");
    private final ShaleHeader header;
    /** Header of the largest fabric of this layout. It encodes values that are invalid in the model's fabric. */
    private final ShaleHeader largest;
    private final MemorySegment bytes = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 2);

    ShaleStimulus(final ShaleHeader header, final Map<String, Integer> weights) {
        this.header = header;
        final ShaleLayout layout = header.layout();
        this.largest = new ShaleHeader(layout, layout.maxNodes(), layout.maxPhases(), layout.hasKinds());
        this.weights = new Weights("encode=3", "valid=3", "foreign=1", "damaged=2", "noise=1", "relay=2").with(weights);
    }

    @Override
    public void begin(final Twin twin) {
        // The codec has no state.
    }

    @Override
    public void draw(final SplittableRandom random, final long[] row) {
        final String choice = weights.draw(random);
        final int number = 1 << header.layout().sequenceBits();
        row[ShaleTwin.OP] = choice.equals("encode") ? ENCODE : choice.equals("relay") ? RELAY : DECODE;
        row[ShaleTwin.SOURCE] = random.nextInt(header.nodes());
        row[ShaleTwin.DESTINATION] = random.nextInt(3) == 0 ? row[ShaleTwin.SOURCE] : random.nextInt(header.nodes());
        row[ShaleTwin.SPRAYS] = random.nextInt(header.phases());
        row[ShaleTwin.SEQUENCE] = random.nextInt(8) == 0 ? number - 1 : random.nextInt(number);
        row[ShaleTwin.TOKEN1] = token(random, header);
        row[ShaleTwin.TOKEN2] = token(random, header);
        row[HEADER] = random.nextLong();
        row[HEADER + 1] = random.nextLong();
        if (row[ShaleTwin.OP] != ENCODE && !choice.equals("noise")) {
            final ShaleHeader writer = choice.equals("foreign") ? largest : header;
            writer.encode(bytes, 0, random.nextInt(writer.nodes()), random.nextInt(writer.nodes()),
                random.nextInt(writer.phases()), random.nextInt(), token(random, writer), token(random, writer));
            row[HEADER] = bytes.getAtIndex(BIG, 0);
            row[HEADER + 1] = bytes.getAtIndex(BIG, 1);
        }
        if (header.layout().headerBytes() < 2 * Long.BYTES) {
            row[HEADER + 1] &= -1L << Integer.SIZE;
        }
        if (choice.equals("damaged")) {
            for (int bit = random.nextInt(DAMAGED_BITS); bit >= 0; bit--) {
                final int at = random.nextInt(header.layout().headerBytes() * Byte.SIZE);
                row[HEADER + at / Long.SIZE] ^= 1L << Long.SIZE - 1 - at % Long.SIZE;
            }
        }
    }

    private static int token(final SplittableRandom random, final ShaleHeader of) {
        if (random.nextInt(3) == 0) {
            return ShaleToken.NONE;
        }
        final int kinds = of.failureCapable() ? ShaleToken.KIND_REVALIDATION : ShaleToken.KIND_TOKEN;
        // Excludes the last node. Without kinds, its last bucket has the bits of "none".
        return ShaleToken.of(1 + random.nextInt(kinds), random.nextInt(of.nodes() - 1), random.nextInt(of.phases()));
    }

    @Override
    public void covered(final long[] row, final long[] answer) {
        final boolean encode = row[ShaleTwin.OP] == ENCODE;
        final boolean decode = row[ShaleTwin.OP] == DECODE;
        coverage.count("empty", row[ShaleTwin.TOKEN1] == 0 && row[ShaleTwin.TOKEN2] == 0);
        coverage.count("full", row[ShaleTwin.TOKEN1] != 0 && row[ShaleTwin.TOKEN2] != 0);
        coverage.count("wrap", encode && row[ShaleTwin.SEQUENCE] == (1 << header.layout().sequenceBits()) - 1);
        coverage.count("dummy", encode && row[ShaleTwin.SOURCE] == row[ShaleTwin.DESTINATION]);
        coverage.count("valid", decode && answer[0] == HeaderFault.NONE.ordinal());
        coverage.count("damaged", decode && answer[0] == HeaderFault.CRC.ordinal());
        coverage.count("other fault", decode && answer[0] > HeaderFault.CRC.ordinal());
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }
}
