package dev.skerry.codec;

import java.util.SplittableRandom;

/** Random fabrics of Shale and their tokens; the generator alone determines them. */
final class RandomShale {
    private RandomShale() {
    }

    /** The headers of a random fabric that fits a layout, often the largest one. */
    static ShaleHeader fabric(final SplittableRandom random, final ShaleLayout layout) {
        final int nodes = random.nextBoolean() ? layout.maxNodes() : random.nextInt(2, layout.maxNodes());
        final int phases = random.nextInt(1, layout.maxPhases() + 1);
        return new ShaleHeader(layout, nodes, phases, layout.hasKinds() && random.nextBoolean());
    }

    /** A valid token of a fabric, or none. */
    static int token(final SplittableRandom random, final ShaleHeader header) {
        if (random.nextInt(3) == 0) {
            return ShaleToken.NONE;
        }
        final int index = random.nextInt(header.phases());
        // In L12 bucket <32767, 3> is encoded as no token; no complete fabric has it (docs/spec/shale.md §4.1).
        final int nodes = header.layout() == ShaleLayout.L12 && index == 3
            ? Math.min(header.nodes(), 32_767) : header.nodes();
        final int kinds = header.failureCapable() ? 3 : 1;
        return ShaleToken.of(random.nextInt(1, kinds + 1), random.nextInt(nodes), index);
    }
}
