package dev.skerry.tools.run.shoal;

import picocli.CommandLine.Option;

/** The options of the Clos that switches a fabric of Shoal; {@link ClosChoice} makes sense of them. */
final class ClosOptions {
    @Option(names = "--clos-ports", paramLabel = "K",
        description = "Mode threads, or with --faults, Shoal: ports of a switch of the Clos "
            + "(default: 64, or fewer for fewer than 64 nodes; 4 for 8).")
    Integer ports;

    @Option(names = "--clos-spines", paramLabel = "NAME",
        description = "Shoal, mode threads or with --faults: how cells take the spines of the Clos: balanced; or "
            + "reciprocal, both directions of a pair over one spine, which halves what a failed spine costs (default: "
            + "balanced).")
    String spines;
}
