package dev.skerry.tools.live;

import dev.skerry.nic.edge.EdgeConfig;
import dev.skerry.nic.edge.EdgeConfig.WhenFull;
import dev.skerry.nic.edge.PacketClasses;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.live.MacForwarding.ForwardingChoice;
import dev.skerry.tools.live.PortChoice.PortChecks;
import dev.skerry.tools.live.Rfc2544.Settings;
import dev.skerry.tools.live.Rfc2544.Test;
import dev.skerry.tools.live.TrialRig.DeviceRig;
import dev.skerry.tools.live.TrialRig.FabricRig;
import dev.skerry.tools.port.GeneratorSettings;
import dev.skerry.tools.port.GeneratorSettings.PacketSizes;
import dev.skerry.tools.port.PortPlace;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.run.FabricOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** {@code skerry rfc2544}: measures a fabric, or a device between two ports, as RFC 2544 describes. */
@Command(
    name = "rfc2544",
    description = {
        "Measures throughput, latency, loss and bursts of a fabric or of any device, as RFC 2544 describes.",
        "",
        "throughput: the highest rate without loss, by binary search. latency: at this rate. loss: at 100 %%, 90 %% "
            + "and so on of the highest rate. back-to-back: the longest burst without loss.",
        "",
        "Without --tx, packets cross a fabric from node to node. With --tx, they go to a device at that port and come "
            + "back at --rx; ports are those of ./skerry live.",
        ""
    },
    footer = {
        "",
        "Examples:",
        "  ./skerry rfc2544 --fabric shoal --sizes 64,1518 --trials 5",
        "  ./skerry rfc2544 --tx memif:/run/a.sock,server --rx memif:/run/b.sock,server",
        "  ./skerry rfc2544 --tx packet:eth1 --rx packet:eth2 --ramp 10kpps-500kpps/10"
    })
public final class Rfc2544Command extends ToolCommand {
    private static final int MTU = 9000;
    private static final int RAMP_STEPS = 10;
    private static final double PER_CENT = 100;
    private static final int ETHERNET_BYTES = 14;

    @Mixin
    FabricOptions fabric = new FabricOptions();

    @Option(names = "--tx", paramLabel = "PORT",
        description = "Port that sends to a device, for example packet:eth1 (default: test a fabric).")
    String tx;

    @Option(names = "--rx", paramLabel = "PORT",
        description = "Port at which packets come back from the device (default: that of --tx).")
    String rx;

    @Option(names = "--pairs", paramLabel = "A:B,...",
        description = "Source and destination nodes (default: every node to the next).")
    String pairs;

    @Option(names = "--sizes", paramLabel = "N,...", defaultValue = "64,128,256,512,1024,1280,1518",
        description = "Packet sizes in bytes, 64 to 9014, or imix. Sizes exclude the frame check sequence (default: "
            + "${DEFAULT-VALUE}).")
    String sizes;

    @Option(names = "--packets", paramLabel = "KEY=VALUE,...",
        description = "Further settings of the generators, for example dmac=02:00:00:00:00:09 or flows=64.")
    String packets;

    @Option(names = "--tests", paramLabel = "NAME,...", defaultValue = "throughput,latency,loss,back-to-back",
        description = "Tests (default: ${DEFAULT-VALUE}).")
    String tests;

    @Option(names = "--ramp", paramLabel = "FROM-TO[/N]",
        description = "Instead of the tests, offer N rates (default: 10) from FROM to TO, for example "
            + "10kpps-1Mpps/20, and report loss and latency at each.")
    String ramp;

    @Option(names = "--duration", paramLabel = "SECONDS", defaultValue = "1",
        description = "Length of a trial; RFC 2544 asks for 60 (default: ${DEFAULT-VALUE}).")
    double duration;

    @Option(names = "--trials", paramLabel = "N", defaultValue = "3",
        description = "Repetitions of all measurements, with seeds 1 to N (default: ${DEFAULT-VALUE}).")
    int trials;

    @Option(names = "--loss", paramLabel = "PERCENT", defaultValue = "0",
        description = "Maximum loss of a trial that passes, in percent (default: ${DEFAULT-VALUE}).")
    double loss;

    @Option(names = "--resolution", paramLabel = "PERCENT", defaultValue = "1",
        description = "Resolution of the search, in percent of the highest rate (default: ${DEFAULT-VALUE}).")
    double resolution;

    @Option(names = "--when-full", paramLabel = "WHAT", defaultValue = "wait",
        description = "As in ./skerry live. wait: packets that the fabric has not accepted by the end of a trial are "
            + "lost; drop: packets whose destination occupies its share of the cells are lost (default: "
            + "${DEFAULT-VALUE}).")
    WhenFull whenFull;

    @Option(names = "--out", paramLabel = "DIR",
        description = "Write the results to this new folder. They are report.html, its plots, and results.json.")
    Path out;

    @Option(names = "--json", description = "Print the results and every trial as JSON.")
    boolean json;

    @Override
    public Integer call() {
        final Settings settings = settings();
        Choices.refuseIf(tx == null && rx != null, "--rx", rx, "there is no device without --tx", "give --tx too");
        Choices.refuseIf(tx != null && pairs != null, "--pairs", pairs, "--pairs names nodes of a fabric, but --tx "
            + "names a device", "leave one of them out");
        if (out != null) {
            OutFolder.checkFree(out);
        }
        final PrintWriter err = err();
        try (StopSignal stop = StopSignal.listen(); TrialRig rig = tx == null ? fabric(settings, stop) : device(stop)) {
            final Rfc2544 measured = new Rfc2544(rig, settings, stop::requested, line -> {
                err.println("skerry: rfc2544: " + line);
                err.flush();
            });
            final Rfc2544Report report = new Rfc2544Report(rig.headline(), rig.clock(), rig.senders(), settings,
                measured.run(), measured.trials(), stop.requested());
            final PrintWriter print = out();
            print.print(json ? report.json() : report.text());
            print.flush();
            if (out != null) {
                err.println("skerry: results in " + OutFolder.write(out, report.interrupted(),
                    folder -> report.write(words(), folder)));
                err.flush();
            }
            return report.exitCode();
        }
    }

    private Settings settings() {
        inRange("--duration", duration, 0.01, 86_400);
        inRange("--trials", trials, 1, 1_000);
        inRange("--loss", loss, 0, PER_CENT);
        inRange("--resolution", resolution, 0.01, PER_CENT);
        final Set<Test> chosen = EnumSet.noneOf(Test.class);
        for (final String name : tests.split(",", -1)) {
            chosen.add(Choices.of("--tests", name.strip().toLowerCase(Locale.ROOT), Test.THROUGHPUT, Test.values()));
        }
        final List<String> each = new ArrayList<>();
        for (final String size : sizes.split(",", -1)) {
            final boolean isMix = size.equals("imix");
            Choices.refuseIf(!isMix && !size.matches("\\d{1,6}(-\\d{1,6})?"), "--sizes", size, "must be a number of "
                + "bytes, a range or imix", "write for example 64,1518");
            final String[] ends = isMix ? new String[] {"64"} : size.split("-");
            final int least = Integer.parseInt(ends[0]);
            final int most = Integer.parseInt(ends[ends.length - 1]);
            Choices.refuseIf(least < PacketSizes.MIN_BYTES || most < least || most > MTU + ETHERNET_BYTES, "--sizes",
                size, "sizes are 64 to 9014 bytes, and a range ascends", "write for example 64,1518");
            each.add(isMix ? size : size + "B");
        }
        for (final String part : packets == null ? new String[0] : packets.split("(?<!\\\\),")) {
            Choices.refuseIf(part.matches("(count|after|seed|id|to)=.*|[^=]*"), "--packets", part,
                part.equals("same") ? "identical packets are not measured" : "other options or the trials determine it",
                "leave it out");
        }
        return new Settings(each, chosen, ramp == null ? new double[0] : steps(), duration, trials, loss / PER_CENT,
            resolution / PER_CENT);
    }

    private static void inRange(final String option, final double value, final double least, final double most) {
        Choices.refuseIf(!(value >= least && value <= most), option, Rfc2544Report.plain(value), "must be "
            + Rfc2544Report.plain(least) + " to " + Rfc2544Report.plain(most), "give a number in this range");
    }

    /** Returns the rates of the ramp, evenly spaced. */
    private double[] steps() {
        final String[] parts = ramp.split("[-/]", -1);
        Choices.refuseIf(!ramp.matches("[^-/]+pps-[^-/]+pps(/[0-9]{1,4})?") || parts.length == 3
            && Integer.parseInt(parts[2]) < 1, "--ramp", ramp, "must be two rates in packets per second",
            "write for example 10kpps-1Mpps/20");
        final double from = rate(parts[0]);
        final double to = rate(parts[1]);
        final int steps = parts.length == 3 ? Integer.parseInt(parts[2]) : RAMP_STEPS;
        return IntStream.range(0, steps).mapToDouble(step -> steps == 1 ? from : from + (to - from) * step
            / (steps - 1)).toArray();
    }

    private static double rate(final String text) {
        return GeneratorSettings.parse(GeneratorSettings.KIND + ":" + text, 0).rate().packetsPerSecond();
    }

    private String more() {
        return packets == null ? "" : "," + packets;
    }

    private TrialRig fabric(final Settings settings, final StopSignal stop) {
        fabric.resolve(1, 1);
        final int nodes = fabric.fabric().population().endpoints();
        final Map<String, String> to = new LinkedHashMap<>();
        if (pairs == null) {
            IntStream.range(0, nodes).forEach(node -> to.put(Integer.toString(node),
                Integer.toString((node + 1) % nodes)));
        } else {
            for (final String pair : pairs.split(",", -1)) {
                Choices.refuseIf(!pair.matches("\\d{1,7}:\\d{1,7}") || to.put(pair.replaceFirst(":.*", ""),
                    pair.replaceFirst(".*:", "")) != null, "--pairs", pair, "must be a sender and its destination, "
                        + "with each sender listed once", "write for example 0:4,1:5");
                final String[] ends = pair.split(":");
                Choices.refuseIf(Stream.of(ends).anyMatch(node -> Integer.parseInt(node) >= nodes), "--pairs", pair,
                    "nodes are 0 to " + (nodes - 1), "give nodes of the fabric");
                Choices.refuseIf(Integer.parseInt(ends[0]) == Integer.parseInt(ends[1]), "--pairs", pair,
                    "a node cannot send to itself", "give two nodes");
            }
        }
        // A receiver that does not send. A generator port needs a rate; its first packet would be due long after every
        // trial.
        final List<String> receivers = to.values().stream().filter(node -> !to.containsKey(node)).distinct()
            .map(node -> node + "=gen:64B,1pps,after=3600,to=" + to.keySet().iterator().next()).toList();
        final String map = to.entrySet().stream().map(pair -> pair.getKey() + ":" + pair.getValue())
            .collect(Collectors.joining(","));
        final PacketFormat format = new PacketFormat(fabric.format(), MTU + PortChecks.HEADERS);
        final EdgeConfig config = new EdgeConfig(format, EdgeConfig.usualBufferCells(format, to.size()
            + receivers.size()), EdgeConfig.STALL_NS, 0, whenFull, EdgeConfig.QUEUE_TARGET_NS, false,
            PacketClasses.NONE);
        final FabricRig rig = new FabricRig(fabric, config, new ForwardingChoice(map, null, 0), size -> Stream.concat(
            to.entrySet().stream().map(pair -> pair.getKey() + "=gen:" + size + ",to=" + pair.getValue() + more()),
            receivers.stream()).toList(), to.size(), stop);
        for (final String size : settings.sizes()) {
            PortChecks.check(rig.choices(size), nodes, null, MTU);
        }
        fabric.remarks().forEach(remark -> err().println("skerry: " + remark));
        return rig;
    }

    private TrialRig device(final StopSignal stop) {
        final DeviceRig rig = new DeviceRig(new PortChoice(new PortPlace(0, 0), tx), new PortChoice(new PortPlace(1, 0),
            rx == null ? tx : rx), more(), stop);
        try {
            rig.connect();
            return rig;
        } catch (final RuntimeException e) {
            rig.close();
            throw e;
        }
    }
}
