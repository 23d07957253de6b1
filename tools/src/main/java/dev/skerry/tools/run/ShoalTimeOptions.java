package dev.skerry.tools.run;

import picocli.CommandLine.Option;

/** The options of a run of Shoal that say what takes how long; {@link ShoalChoice} makes sense of them. */
public final class ShoalTimeOptions {
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
}
