package dev.skerry.tools.command;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which options belong together in the help of a command, and which of them most users need. Stateless. */
final class OptionGroups {
    /** Of options that no group names. */
    static final String OWN = "Of this command";
    static final String COMMON = "Common";

    private static final Map<String, List<String>> GROUPS = groups();
    private static final Map<String, List<String>> SHORT = Map.of(
        "run", names("fabric nodes h cc channels topology workload load flows slots warm-up drain slowdown faults "
            + "propagation-ns seed threads mode check out json"),
        "compare", names("fabrics nodes h workload load flows time-us warm-up-us no-drain gbps propagation-ns seed "
            + "threads out json"),
        "live", names("port fabric nodes h map mac-table faults mode threads pin duration slots-per-second dir json"),
        "trace", names("node switch pieo pieo-random range signals format out fabric nodes h workload load flows slots "
            + "seed"));

    private OptionGroups() {
    }

    /** The options of a command that its short help shows, in this order; null if it shows all. */
    static List<String> shortOf(final String command) {
        return SHORT.get(command);
    }

    /** The headings of groups, in order. */
    static List<String> headings() {
        return List.copyOf(GROUPS.keySet());
    }

    /** The heading under which an option stands. */
    static String of(final String option) {
        return GROUPS.entrySet().stream().filter(group -> group.getValue().contains(option)).findFirst()
            .map(Map.Entry::getKey).orElse(OWN);
    }

    private static Map<String, List<String>> groups() {
        final Map<String, List<String>> groups = new LinkedHashMap<>();
        groups.put(OWN, List.of());
        groups.put("Packets", names("port map mac-table mac-age mtu buffer-cells stall-ms when-full queue-target ecn "
            + "class-of class-map slots-per-second real-time duration dir ctl"));
        groups.put("Fabric", names("fabric nodes channels class-bytes failed-nodes faults miss-limit"));
        groups.put("Workload", names("workload load incast-senders flow-bytes pair-gbps flows size-factor load-factor "
            + "min-flow-bytes max-flow-bytes read-flows"));
        groups.put("Length and measurement", names("slots time-us warm-up warm-up-us drain no-drain slowdown "
            + "max-flows"));
        groups.put("Time and cells", names("slot-ns guard-ns cell-bytes header-bytes "
            + "propagation-ns propagation-slots"));
        groups.put("Shale", names("h cc tokens first-hop-tokens spray-ties local-order interleave cutoff-bytes fill "
            + "failed-ids exchange-coordinates respray-last-hop"));
        groups.put("Shale: priority, ISD, RD, NDP", names("priority-factor priority-of priority-order isd-rate "
            + "rd-cells-per-pull rd-rate rd-budget rd-max-queue"));
        groups.put("Shale: lanes and limits of hardware", names("lanes serialisation-slots pieo-entries token-fifo "
            + "active-buckets bucket-reserve slot-clocks"));
        groups.put("Shoal", names("shoal-rule shoal-schedule shoal-age-rule shoal-preset flow-order lower-class-cells "
            + "clos-ports clos-spines"));
        groups.put("Shoal: times and clocks", names("switch-ns nic-ns hold-slots reconfiguration-ns clock-drift-ppm "
            + "clock-master takeover-slots"));
        groups.put("Stardust", names("topology radix adapter-links tiers up-links ports speed-up packet-bytes "
            + "credit-bytes packing requests weights low-latency voq-bytes adapter-bytes give-up-ms top-elements "
            + "reachability"));
        groups.put("Stardust: hosts and links", names("hosts mark-bytes mark-red pause-bytes subflows link-bytes "
            + "device-ns control"));
        groups.put("Engine", names("seed mode threads nic-threads switch-threads idle pin check"));
        groups.put("Members: several processes", names("members member cluster member-key member-timeout"));
        groups.put("Checkpoints", names("checkpoint checkpoint-every resume trust-checkpoint"));
        groups.put("Results", names("out json format publish snapshot-slots count-after-epochs"));
        groups.put(COMMON, names("help help-all version verbose quiet"));
        return groups;
    }

    private static List<String> names(final String words) {
        return Arrays.stream(words.split(" ")).map(word -> "--" + word).toList();
    }
}
