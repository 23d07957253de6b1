package dev.skerry.tools.run.shoal;

import picocli.CommandLine.Option;

/** The options of a run that only Shoal has; {@link ShoalChoice} makes sense of them. */
public final class ShoalOptions {
    @Option(names = "--shoal-rule", paramLabel = "NAME",
        description = "Shoal: when a cell may be released to a relay: exact; paper-literal, Eq. 2 as printed; "
            + "paper-one-report and exact-one-report, the same with each queue told of once; basic, without ready "
            + "queues (the paper's section 3.3.2); or authors-simulator (default: exact).")
    String rule;

    @Option(names = "--shoal-schedule", paramLabel = "NAME",
        description = "Shoal: order of the round robin: plain, or delay to hide a propagation delay (default: plain).")
    public String schedule;

    @Option(names = "--shoal-age-rule", paramLabel = "on|off",
        description = "Shoal: whether young flows wait for short queues, which keeps short flows fast "
            + "(default: on; off with the rules authors-simulator and basic).")
    String ageRule;

    @Option(names = "--flow-order", paramLabel = "NAME",
        description = "Shoal: which flow between two nodes sends the next cell: round-robin, or shortest, the one of "
            + "fewest cells (default: round-robin).")
    String flowOrder;

    @Option(names = "--shoal-preset", paramLabel = "NAME",
        description = "Shoal: a fabric of the paper: prototype, 8 nodes of 10 Gb/s; printed, 512 nodes of 4 x 25 Gb/s; "
            + "coded, 512 nodes as in the authors' simulator. It sets nodes, channels, the slot and latencies; what is "
            + "typed beside it is taken instead.")
    String preset;

    @Option(names = "--switch-ns", paramLabel = "X",
        description = "Shoal: latency of each of the three switches on a cell's way, added to --propagation-ns "
            + "(default: 0; the prototype has 320).")
    Double switchNs;

    @Option(names = "--nic-ns", paramLabel = "X",
        description = "Shoal: latency of MAC and PHY at both ends of the way together, added to --propagation-ns "
            + "(default: 0; the prototype has 576).")
    Double nicNs;

    @Option(names = "--hold-slots", paramLabel = "K",
        description = "Shoal: slots at the start, rounded up to whole epochs, in which switches hold their first "
            + "circuits and nodes send nothing while clocks come together; a node that is down then joins later "
            + "(default: 0).")
    Long holdSlots;

    @Option(names = "--reconfiguration-ns", paramLabel = "X",
        description = "Shoal: part of --guard-ns that circuits take to change; a clock may be off by the rest of it "
            + "(default: 0; the paper has 2.5 of 2.75).")
    Double reconfigurationNs;

    @Option(names = "--clock-drift-ppm", paramLabel = "D",
        description = "Shoal, with --faults and --guard-ns: when the node whose clock all follow stops, each clock "
            + "runs off by up to D parts in a million until another node has taken over (default: clocks stay).")
    Double driftPpm;

    @Option(names = "--clock-master", paramLabel = "ID",
        description = "With --clock-drift-ppm: the node whose clock all follow at the start (default: 0).")
    Integer clockMaster;

    @Option(names = "--takeover-slots", paramLabel = "K",
        description = "With --clock-drift-ppm: slots from the stop of that node until all follow the lowest node that "
            + "is up (default: until every node has missed its cells).")
    Long takeoverSlots;

    @Option(names = "--lower-class-cells", paramLabel = "K",
        description = "Shoal: cells that a queue of any class but the highest has room for; a cell that finds none "
            + "goes back to its source (default: as many as there are nodes).")
    Integer lowerClassCells;

    /** The options of the Clos that switches a fabric of Shoal. */
    static final class ClosOptions {
        @Option(names = "--clos-ports", paramLabel = "K",
            description = "Mode threads, or with --faults, Shoal: ports of a switch of the Clos "
                + "(default: 64, or fewer for fewer than 64 nodes; 4 for 8).")
        Integer ports;

        @Option(names = "--clos-spines", paramLabel = "NAME",
            description = "Shoal, mode threads or with --faults: how cells take the spines of the Clos: balanced; or "
                + "reciprocal, both directions of a pair over one spine, which halves what a failed spine costs "
                + "(default: balanced).")
        String spines;
    }
}
