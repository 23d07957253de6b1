package dev.skerry.tools.run;

import dev.skerry.tools.input.InputException;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The fabrics that the Shoal paper built and simulated (docs/spec/shoal.md §1, §7). */
public enum ShoalSetUp {
    /** P1: 8 boards, links of 10 Gb/s, six switches of 4 ports; latencies as measured. */
    PROTOTYPE("prototype", 8, 1, 76.8, new ShoalWay(40, 320, 576)),
    /**
     * P2: four lanes of 25 Gb/s. Its latencies are those of the prototype at 390.625 MHz, the clock of the paper's
     * faster switch: 50 cycles a switch, 90 cycles of MAC and PHY at both ends together; 15 ns across the rack.
     */
    PRINTED("printed", 512, 4, 5.8125, new ShoalWay(15, 128, 230.4)),
    /** P3: the authors' simulator. */
    CODED("coded", 512, 1, 5.632, new ShoalWay(0, 0, 0));

    private final String label;
    private final int nodes;
    private final int channels;
    private final double slotNs;
    private final ShoalWay way;

    ShoalSetUp(final String label, final int nodes, final int channels, final double slotNs, final ShoalWay way) {
        this.label = label;
        this.nodes = nodes;
        this.channels = channels;
        this.slotNs = slotNs;
        this.way = way;
    }

    /** The set-up of a name. */
    static ShoalSetUp named(final String name) {
        return Arrays.stream(values()).filter(setUp -> setUp.label.equals(name)).findFirst()
            .orElseThrow(() -> new InputException("--shoal-preset", name, "there is no such fabric", "use one of "
                + Arrays.stream(values()).map(setUp -> setUp.label).collect(Collectors.joining(", "))));
    }

    /** N. */
    public int nodes() {
        return nodes;
    }

    /** Lanes of a node. */
    public int channels() {
        return channels;
    }

    /** Between the cells that a node sends; a slot lasts as long on every lane. */
    public double slotNs() {
        return slotNs;
    }

    /** What a cell passes from node to node. */
    public ShoalWay way() {
        return way;
    }
}
