package dev.skerry.tools;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The options of {@code skerry run} that say what is run, as they were typed; {@link Scenario} makes sense of them. */
final class RunOptions {
    @Option(names = "--fabric", paramLabel = "NAME", defaultValue = "shale",
        description = "Which system: shale (default: ${DEFAULT-VALUE}).")
    String fabric;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "256",
        description = "End nodes. If N is not r^H, the next larger r^H is used and the nodes too many are failed nodes "
            + "(default: ${DEFAULT-VALUE}).")
    int nodes;

    @Option(names = "--fill",
        description = "If N is not r^H, let the nodes too many forward cells instead, as in the Shale authors' "
            + "simulator.")
    boolean fill;

    @Option(names = "--h", paramLabel = "H", defaultValue = "2",
        description = "Phases of the schedule, 1 to 8: more phases mean less latency and less guaranteed throughput, "
            + "1/(2H) (default: ${DEFAULT-VALUE}).")
    int h;

    @Option(names = "--cc", paramLabel = "NAME", defaultValue = "hbh+spray",
        description = "Congestion control: none, hbh, spray-short or hbh+spray (default: ${DEFAULT-VALUE}).")
    String cc;

    @Option(names = "--tokens", paramLabel = "T", defaultValue = "1",
        description = "Cells of one bucket that may be unacknowledged on a link, 1 to 255 (default: ${DEFAULT-VALUE}).")
    int tokens;

    @Option(names = "--first-hop-tokens", paramLabel = "TF", defaultValue = "1",
        description = "The same for first hops; at least T (default: ${DEFAULT-VALUE}).")
    int firstHopTokens;

    @Option(names = "--flows", paramLabel = "FILE",
        description = "Workload from a trace, a flow a line: "
            + "flow-id,source,destination,size-in-bytes,start-in-seconds. May be gzip.")
    Path flows;

    @Option(names = "--workload", paramLabel = "NAME",
        description = "Synthetic workload: permutation, short, heavy, web, incast or all-to-all (default: short).")
    String workload;

    @Option(names = "--load", paramLabel = "L",
        description = "Cells offered per node and slot by short, heavy and web "
            + "(default: 0.96 of the guarantee 1/(2H)).")
    Double load;

    @Option(names = "--incast-senders", paramLabel = "K", description = "Senders of the incast (default: 32).")
    Integer incastSenders;

    @Option(names = "--flow-bytes", paramLabel = "B",
        description = "Bytes of a flow of permutation, incast and all-to-all (default: endless, 24400 and 2440).")
    Long flowBytes;

    @Option(names = "--slots", paramLabel = "T",
        description = "Slots to run; 0: until every flow is done (default: 0 for a trace, 100000 for a workload).")
    Long slots;

    @Option(names = "--slot-ns", paramLabel = "X", defaultValue = "5.632",
        description = "Time between slot starts in ns, guard band included (default: ${DEFAULT-VALUE}).")
    double slotNs;

    @Option(names = "--cell-bytes", paramLabel = "B", defaultValue = "256",
        description = "Size of a cell (default: ${DEFAULT-VALUE}).")
    int cellBytes;

    @Option(names = "--header-bytes", paramLabel = "B",
        description = "Header of a cell (default: 12, or 16 where the wide header is needed).")
    Integer headerBytes;

    @Option(names = "--propagation-ns", paramLabel = "X",
        description = "Propagation delay in ns, rounded up to whole slots (default: 500).")
    Double propagationNs;

    @Option(names = "--propagation-slots", paramLabel = "K", description = "Propagation delay in slots instead.")
    Integer propagationSlots;

    @Option(names = "--failed-nodes", paramLabel = "K", defaultValue = "0",
        description = "Nodes that never answer, chosen as the Shale authors' simulator does; the workload avoids them "
            + "(default: ${DEFAULT-VALUE}).")
    int failedNodes;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
        description = "64 bits that decide everything random (default: ${DEFAULT-VALUE}).")
    long seed;

    @Option(names = "--threads", paramLabel = "W", defaultValue = "1",
        description = "Worker threads; the result does not depend on them (default: ${DEFAULT-VALUE}).")
    int threads;

    @Option(names = "--mode", paramLabel = "NAME", defaultValue = "lockstep",
        description = "How it runs: lockstep, one loop over all nodes (default: ${DEFAULT-VALUE}).")
    String mode;

    @Option(names = "--check",
        description = "Check every invariant in every slot, and every payload. Slow: meant for small fabrics.")
    boolean check;
}
