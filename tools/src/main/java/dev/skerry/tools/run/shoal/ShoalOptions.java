package dev.skerry.tools.run.shoal;

import picocli.CommandLine.Option;

/** The options of {@code run} that belong to Shoal; {@link ShoalChoice} evaluates them. */
public final class ShoalOptions {
    @Option(names = "--shoal-rule", paramLabel = "NAME",
        description = "Shoal: rule by which cells are released to relays. NAME is exact; paper-literal, Eq. 2 as "
            + "printed; exact-one-report or paper-one-report, the same with one report per queue instead of two; "
            + "basic, without ready queues (section 3.3.2 of the paper); or authors-simulator (default: exact).")
    String rule;

    @Option(names = "--shoal-schedule", paramLabel = "NAME",
        description = "Shoal: order of the round robin. plain, or delay, which hides a propagation delay (default: "
            + "plain).")
    public String schedule;

    @Option(names = "--shoal-age-rule", paramLabel = "on|off",
        description = "Shoal: 2^age rule: young flows use short queues only. It keeps short flows fast (default: on; "
            + "off with the rules authors-simulator and basic).")
    String ageRule;

    @Option(names = "--flow-order", paramLabel = "NAME",
        description = "Shoal: order in which the flows of a node pair are served. round-robin, or shortest: the "
            + "flow with the fewest bytes first, however many of them are left (default: round-robin).")
    String flowOrder;

    @Option(names = "--shoal-preset", paramLabel = "NAME",
        description = "Shoal: settings of a fabric in the paper. NAME is prototype, 8 nodes of 10 Gb/s; printed, 512 "
            + "nodes of 4 x 25 Gb/s; or coded, 512 nodes as in the authors' simulator. It sets nodes, channels, slot "
            + "length and latencies; options that you give override it.")
    String preset;

    @Option(names = "--switch-ns", paramLabel = "X",
        description = "Shoal: latency of each of the three switches on a path, in ns. It is added to "
            + "--propagation-ns (default: 0; the prototype has 320).")
    Double switchNs;

    @Option(names = "--nic-ns", paramLabel = "X",
        description = "Shoal: latency of MAC and PHY at both ends together, in ns. It is added to --propagation-ns "
            + "(default: 0; the prototype has 576).")
    Double nicNs;

    @Option(names = "--hold-slots", paramLabel = "K",
        description = "Shoal: slots at the start in which the clocks synchronise. They are rounded up to whole "
            + "epochs; switches hold their first circuits and nodes send nothing. A node that is down then joins "
            + "later (default: 0).")
    Long holdSlots;

    @Option(names = "--reconfiguration-ns", paramLabel = "X",
        description = "Shoal: part of --guard-ns in which circuits change, in ns. A clock may be off by the rest of "
            + "the guard band (default: 0; the paper has 2.5 of 2.75).")
    Double reconfigurationNs;

    @Option(names = "--clock-drift-ppm", paramLabel = "D",
        description = "Shoal: maximum drift of clocks without a master, in ppm. With --faults and --guard-ns: when "
            + "the node that is clock master fails, each clock drifts by up to D parts per million until another node "
            + "has taken over (default: clocks do not drift).")
    Double driftPpm;

    @Option(names = "--clock-master", paramLabel = "ID",
        description = "Shoal, with --clock-drift-ppm: clock master at the start (default: 0).")
    Integer clockMaster;

    @Option(names = "--takeover-slots", paramLabel = "K",
        description = "Shoal, with --clock-drift-ppm: slots without a clock master. They begin when the master fails "
            + "and end when all clocks follow the lowest node that is up (default: until every node has missed the "
            + "master's cells).")
    Long takeoverSlots;

    @Option(names = "--lower-class-cells", paramLabel = "K",
        description = "Shoal: capacity of queues of all but the highest class, in cells. "
            + "A cell that finds its queue full goes back to its source (default: the number of nodes).")
    Integer lowerClassCells;

    /** Options of the Clos network that switches a Shoal fabric. */
    static final class ClosOptions {
        @Option(names = "--clos-ports", paramLabel = "K",
            description = "Shoal: ports of each switch of the Clos network. Only in mode threads or with --faults "
                + "(default: 64, or fewer for fewer than 64 nodes; 4 for 8).")
        Integer ports;

        @Option(names = "--clos-spines", paramLabel = "NAME",
            description = "Shoal: how cells are spread over the spines of the Clos network. Only in mode threads or "
                + "with --faults. balanced, or reciprocal: both directions of a pair use the same spine, which halves "
                + "what a failed spine costs (default: balanced).")
        String spines;
    }
}
