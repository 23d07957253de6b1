package dev.skerry.tools.run;

import picocli.CommandLine.Option;

/** The options of Shale that say the same wherever a fabric is chosen; {@link ShaleChoice} makes sense of them. */
public final class ShaleOptions {
    @Option(names = "--h", paramLabel = "H",
        description = "Shale: phases of the schedule, 1 to 8: more phases mean less latency and less guaranteed "
            + "throughput, 1/(2H) (default: 2).")
    public Integer h;

    @Option(names = "--cc", paramLabel = "PARTS",
        description = "Shale: congestion control: none, or parts joined with +: hbh, and spray-short or spray-bucket; "
            + "hbh+spray is hbh+spray-short (default: hbh+spray).")
    public String cc;

    @Option(names = "--tokens", paramLabel = "T",
        description = "Shale: cells of one bucket that may be unacknowledged on a link, 1 to 255 (default: 1).")
    public Integer tokens;

    @Option(names = "--first-hop-tokens", paramLabel = "TF",
        description = "Shale: the same for first hops; at least T (default: 1).")
    public Integer firstHopTokens;
}
