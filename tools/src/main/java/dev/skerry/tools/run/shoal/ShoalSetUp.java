package dev.skerry.tools.run.shoal;

import dev.skerry.tools.input.InputException;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A fabric that was built or simulated for the Shoal paper (docs/spec/shoal.md §1, §7).
 *
 * @param name     value of the option.
 * @param nodes    number of nodes.
 * @param channels lanes of a node.
 * @param slotNs   time between the cells that a node sends; a slot on a lane takes {@code channels} times as long.
 * @param way      path of a cell from node to node.
 */
public record ShoalSetUp(String name, int nodes, int channels, double slotNs, Way way) {
    /** P1: 8 boards, links of 10 Gb/s, six switches with 4 ports; measured latencies. */
    public static final ShoalSetUp PROTOTYPE = new ShoalSetUp("prototype", 8, 1, 76.8, new Way(40, 320, 576));
    /**
     * P2: four lanes of 25 Gb/s. Its latencies are those of the prototype at 390.625 MHz, the clock of the paper's
     * faster switch: 50 cycles per switch, 90 cycles of MAC and PHY at both ends together, and 15 ns across the rack.
     */
    static final ShoalSetUp PRINTED = new ShoalSetUp("printed", 512, 4, 5.8125, new Way(15, 128, 230.4));
    /** P3: the authors' simulator. */
    private static final ShoalSetUp CODED = new ShoalSetUp("coded", 512, 1, 5.632, new Way(0, 0, 0));
    private static final List<ShoalSetUp> ALL = List.of(PROTOTYPE, PRINTED, CODED);

    /** Returns the preset with a name. */
    static ShoalSetUp named(final String name) {
        return ALL.stream().filter(setUp -> setUp.name.equals(name)).findFirst()
            .orElseThrow(() -> new InputException("--shoal-preset", name, "there is no such fabric", "use one of "
                + ALL.stream().map(ShoalSetUp::name).collect(Collectors.joining(", "))));
    }

    /**
     * The path of a cell from node to node: fibres, three switches, and MAC and PHY at both ends (docs/spec/shoal.md
     * §7).
     *
     * @param wireNs   delay of all fibres together.
     * @param switchNs latency of each of the three switches (leaf, spine, leaf) from port to port.
     * @param nicNs    latency of both ends together.
     */
    public record Way(double wireNs, double switchNs, double nicNs) {
        private static final int SWITCHES = 3;

        /** Returns the time from the start of a slot at the sender until the cell arrives at the receiver. */
        public double totalNs() {
            return wireNs + SWITCHES * switchNs + nicNs;
        }
    }
}
