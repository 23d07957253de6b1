package dev.skerry.tools.port.generator;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PortText;

/**
 * A generator as a user writes it: {@code gen[:SIZE][,RATE][,KEY=VALUE...]}, for example
 * {@code gen:64B,1Mpps,to=3} or {@code gen:imix,40%,line=100Gbps,to=0-7,burst=32,count=1000000}.
 * <pre>
 *    SIZE      64B | 64-1514B (random) | imix                                           64B
 *    RATE      10pps, kpps, Mpps | 10Mbps, kbps, Gbps, Tbps | 50% (with line=) | max    1Mpps
 *    line      rate of the line, 100Gbps                                                (only for %)
 *    to        destination node or nodes, 3 or 0-7: dmac and dip if not given           1; 0 if this is node 1
 *    from      source node or nodes: smac and sip if not given                          this node
 *    dmac smac 02:00:00:00:00:01 or A-B         dip sip   10.1.0.1 or A-B
 *    dport sport  UDP ports, 9 or 1000-1999                                             9
 *    flows     1 to 4096: flow f has the f-th address of each range                     the longest range's size
 *    order     sequence (flow by flow) | random                                         sequence
 *    burst     packets that are due together                                            1
 *    same      packets of a flow are all alike: nothing to measure, hardly anything to do
 *    count     packets in all                                                           no end
 *    after     seconds before the first packet is due, 0 to 3600                        0
 *    seed      of sizes and flows that are drawn                                        1
 *    id        of the generator in its packets, 0 to 65535                              this node
 * </pre>
 * A rate in bit/s counts the packets' own bytes; a share of a line counts {@link PacketRate#LINE_OVERHEAD_BYTES} more.
 *
 * @param sizes   of packets.
 * @param rate    at which they are offered.
 * @param headers what stands in them.
 * @param burst   packets that are due together, 1 to {@link #MAX_BURST}.
 * @param same    whether packets of a flow are all alike, without the number and time by which they are measured where
 *                they arrive; of one size then.
 * @param count   packets in all, {@link #ENDLESS} for no end.
 * @param afterNs from when the port is first asked to when the first packet is due, 0 to {@link #MAX_AFTER_NS}.
 * @param seed    for what is drawn.
 * @param id      that tells the flows of this generator from those of others, 0 to 65,535.
 */
public record GeneratorSettings(
    PacketSizes sizes, PacketRate rate, FlowHeaders headers, int burst, boolean same, long count, long afterNs,
    long seed, int id
) {
    /** How it is written. */
    public static final String KIND = "gen";

    /** No end. */
    public static final long ENDLESS = Long.MAX_VALUE;

    /** Packets that are due together at most. */
    public static final int MAX_BURST = 1 << 16;

    /** How long the first packet is waited for at most. */
    public static final long MAX_AFTER_NS = 3_600_000_000_000L;

    /** The largest id. */
    public static final int MAX_ID = 0xFFFF;

    /** Checks every component. */
    public GeneratorSettings {
        if (burst < 1 || burst > MAX_BURST) {
            throw new IllegalArgumentException("burst must be 1 to " + MAX_BURST + ": burst=" + burst);
        }
        if (same && !(sizes instanceof PacketSizes.Fixed)) {
            throw new IllegalArgumentException("packets that are all alike have one size: same sizes=" + sizes);
        }
        if (count < 1) {
            throw new IllegalArgumentException("count must be at least 1: count=" + count);
        }
        if (afterNs < 0 || afterNs > MAX_AFTER_NS) {
            throw new IllegalArgumentException("afterNs must be 0 to " + MAX_AFTER_NS + ": afterNs=" + afterNs);
        }
        if (id < 0 || id > MAX_ID) {
            throw new IllegalArgumentException("id must be 0 to " + MAX_ID + ": id=" + id);
        }
    }

    /** Whether a text is meant to be one of these. */
    public static boolean isOne(final String text) {
        return PortText.isOne(KIND, text);
    }

    /**
     * Reads settings.
     *
     * @param text what the user wrote.
     * @param node that the port is at, 0 to 65,535: the source and the id where the text does not say.
     * @throws InputException if they are wrong.
     */
    public static GeneratorSettings parse(final String text, final int node) {
        return new GeneratorText(text, node).read();
    }
}
