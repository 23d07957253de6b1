package dev.skerry.tools.port.generator;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PortText;

/**
 * A generator of the command line: {@code gen[:SIZE][,RATE][,KEY=VALUE...]}, for example {@code gen:64B,1Mpps,to=3} or
 * {@code gen:imix,40%,line=100Gbps,to=0-7,burst=32,count=1000000}.
 * <pre>
 *    SIZE      64B | 64-1514B (random) | imix                                           64B
 *    RATE      10pps, kpps, Mpps | 10Mbps, kbps, Gbps, Tbps | 50% (with line=) | max    1Mpps
 *    line      rate of the line, 100Gbps                                                (only for %)
 *    to        destination node or nodes, 3 or 0-7 without its own: dmac and dip        1; 0 if this is node 1
 *    from      source node or nodes: smac and sip if not given                          this node
 *    dmac smac 02:00:00:00:00:01 or A-B         dip sip   10.1.0.1 or A-B
 *    dport sport  UDP ports, 9 or 1000-1999                                             9
 *    flows     1 to 4096: flow f has the f-th address of each range                     the longest range's size
 *    order     sequence (flow by flow) | random                                         sequence
 *    burst     packets due at the same time                                             1
 *    same      identical packets in a flow: cheap to generate, cannot be measured
 *    count     total packets                                                            no end
 *    after     delay of the first packet in seconds, 0 to 3600                          0
 *    seed      of random sizes and flows                                                1
 *    id        of the generator in its packets, 0 to 65535                              this node; its
 *                                                                                        further ports: + 256 each
 * </pre>
 * A rate in bit/s counts the bytes of the packets; a share of a line adds {@link PacketRate#LINE_OVERHEAD_BYTES} for
 * each.
 *
 * @param sizes   sizes of packets.
 * @param rate    offered rate.
 * @param headers contents of the headers.
 * @param burst   packets due at the same time, 1 to {@link #MAX_BURST}.
 * @param same    whether all packets of a flow are identical. They have one size, and no number or time to measure.
 * @param count   total packets, {@link #ENDLESS} for no end.
 * @param afterNs time in ns from the first call for packets until the first packet is due, 0 to {@link #MAX_AFTER_NS}.
 * @param seed    seed of random choices.
 * @param id      id that distinguishes this generator's flows from other generators', 0 to 65,535.
 */
public record GeneratorSettings(
    PacketSizes sizes, PacketRate rate, FlowHeaders headers, int burst, boolean same, long count, long afterNs,
    long seed, int id
) {
    /** Kind of port on the command line. */
    public static final String KIND = "gen";

    /** Count of a generator without end. */
    public static final long ENDLESS = Long.MAX_VALUE;

    /** Maximum number of packets due at the same time. */
    public static final int MAX_BURST = 1 << 16;

    /** Maximum delay of the first packet in ns. */
    public static final long MAX_AFTER_NS = 3_600_000_000_000L;

    /** What is between the ids of two ports of a node, where none is given. */
    static final int IDS_OF_NODES = 1 << 8;

    /** Maximum id. */
    public static final int MAX_ID = 0xFFFF;

    /** Checks the bounds of every component. */
    public GeneratorSettings {
        Bounds.require("burst", burst, 1, MAX_BURST);
        if (same && !(sizes instanceof PacketSizes.Fixed)) {
            throw new IllegalArgumentException("packets that are all alike have one size: same sizes=" + sizes);
        }
        Bounds.atLeast("count", count, 1);
        Bounds.require("afterNs", afterNs, 0, MAX_AFTER_NS);
        Bounds.require("id", id, 0, MAX_ID);
    }

    /** Whether a text has this kind. */
    public static boolean isOne(final String text) {
        return PortText.isOne(KIND, text);
    }

    /**
     * Parses settings.
     *
     * @param text   text of the command line.
     * @param node   node of the port, 0 to 65,535: the default of source and id.
     * @param number which port of the node it is.
     * @throws InputException if they are wrong.
     */
    public static GeneratorSettings parse(final String text, final int node, final int number) {
        return new GeneratorText(text, node, number).read();
    }

    /** Parses settings of the first port of a node. */
    public static GeneratorSettings parse(final String text, final int node) {
        return parse(text, node, 0);
    }
}
