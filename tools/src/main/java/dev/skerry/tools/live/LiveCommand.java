package dev.skerry.tools.live;

import com.sun.management.OperatingSystemMXBean;
import dev.skerry.codec.CellPacker;
import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.dataplane.worker.Scheduling;
import dev.skerry.nic.edge.EdgeConfig;
import dev.skerry.nic.edge.EdgeConfig.WhenFull;
import dev.skerry.nic.edge.EdgePort;
import dev.skerry.nic.edge.PacketClasses;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.edge.PacketEdges.EdgeWatch;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.tools.ctl.ControlSocket;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.live.LiveDispatcher.LiveSettings;
import dev.skerry.tools.live.LiveDispatcher.Rules;
import dev.skerry.tools.live.LiveRun.Drain;
import dev.skerry.tools.live.MacForwarding.ForwardingChoice;
import dev.skerry.tools.live.PortChoice.PortChecks;
import dev.skerry.tools.live.PortSlot.VacantPort;
import dev.skerry.tools.port.LivePort;
import dev.skerry.tools.port.MemifPort.MemifSockets;
import dev.skerry.tools.port.PortText;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.run.FabricOptions;
import dev.skerry.tools.run.ScheduleFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** {@code skerry live}: carries packets of real ports across a fabric. */
@Command(
    name = "live",
    description = {
        "Carries packets across a running fabric, between ports at its nodes.",
        "",
        "A port is NODE=KIND:...; NODE.1=KIND:... is a second port at the node, NODE.2= a third:",
        "  memif:PATH,server|client[,id=N][,secret=@FILE][,...]    another process, for example DPDK",
        "  tap:NAME                                                a TAP device, for ping or ssh",
        "  packet:IFACE[,promisc=off][,ring=MIB]                   a network interface of this machine",
        "  pcap:FILE  pcap:in=FILE[,loops=N][,speed=X][,cut=WHAT]  writes or sends a capture file",
        "  gen:64B,1Mpps,to=3[,...]                                generates packets, checks arriving ones",
        "  loop, none               sends back what it receives; a port that ./skerry ctl adds later",
        "",
        "It runs until Ctrl-C, for --duration, or until every port has finished; then it delivers the packets in "
            + "flight and prints the results. ./skerry stat and ./skerry watch show it while it runs.",
        ""
    },
    footer = {
        "",
        "A generator is gen[:SIZE][,RATE][,KEY=VALUE...]:",
        "  SIZE                64B, 64-1514B for random sizes, imix, or imix=98:7/594:4 with weights",
        "  RATE                packets or bits per second (1Mpps, 10Gbps), 40%% with line=100Gbps, or max",
        "  to, from            destination and source nodes, 3, 0-3+6 or all (except its own), or 3.1",
        "  dmac, smac, dip, sip, dport, sport    a value, FIRST-LAST, or several with a +",
        "  template            headers, such as vlan id=7 / ipv6 / tcp dport=80; or @FILE, one per line",
        "  flows, order        number of flows, and their order: sequence or random",
        "  same                all packets of a flow are identical: lowest cost, but nothing is measured",
        "  burst, count, after packets per burst, packets in all, seconds before the first packet",
        "  seed, id            seed of random values, and the id of the generator in its packets",
        "",
        "A capture is pcap:FILE or pcap:KEY=VALUE,...; in=FILE may be given several times:",
        "  loops, speed, rate, cut               repetitions; speed (2, max; 10kpps, 1Gbps); cut packets",
        "  out, format, overwrite                the file to write",
        "  snap, rotate, keep                    bytes per packet; 100MB or 10min per file; files to keep",
        "memif, tap, packet and pcap ports accept filter=EXPRESSION, in the syntax of tcpdump.",
        "",
        "Two DPDK processes, each at a node:",
        "  ./skerry live --port 0=memif:/run/skerry0.sock,server --port 5=memif:/run/skerry5.sock,server"
    })
public final class LiveCommand extends ToolCommand {
    private static final int MIN_MTU = 60;
    private static final int MAX_MTU = CellPacker.MAX_PACKET_BYTES - PortChecks.HEADERS;
    private static final double NS = 1e9;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_US = 1e3;
    private static final Pattern TIME = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(us|ms|s)");
    private static final long MOST_TARGET_NS = 3_600_000_000_000L;
    private static final Path KERNEL = Path.of("/proc/sys/kernel");
    /** Share of the machine's memory that buffers of in-flight packets may use. */
    private static final double MEMORY_SHARE = 0.5;

    @Mixin
    FabricOptions fabric = new FabricOptions();

    @Option(names = "--port", paramLabel = "N=PORT", required = true,
        description = "Port at a node, as described above; give two or more.")
    List<String> ports;

    @Option(names = "--map", paramLabel = "A:B,...",
        description = "Send all packets of port A to port B, instead of by destination MAC.")
    String map;

    @Option(names = "--mac-table", paramLabel = "FILE",
        description = "File of MAC addresses with known ports. One per line, for example 02:00:00:00:00:07 3.")
    Path macTable;

    @Option(names = "--mac-age", paramLabel = "SECONDS", defaultValue = "300",
        description = "Seconds for which a learned MAC address is valid (default: ${DEFAULT-VALUE}).")
    double macAge;

    @Option(names = "--mtu", paramLabel = "BYTES", defaultValue = "9000",
        description = "MTU in bytes, 60 to 9194; a frame has an Ethernet header and up to two VLAN tags in addition "
            + "(default: ${DEFAULT-VALUE}).")
    int mtu;

    @Option(names = "--buffer-cells", paramLabel = "N",
        description = "Cells in the fabric that the packets of one port may occupy, a power of two (default: 4096, "
            + "more for many ports).")
    Integer bufferCells;

    @Option(names = "--stall-ms", paramLabel = "MS", defaultValue = "200",
        description = "Time in ms for which a port may accept nothing before packets for it are dropped, so that "
            + "their senders can go on with other destinations (default: ${DEFAULT-VALUE}).")
    double stallMs;

    @Option(names = "--when-full", paramLabel = "WHAT", defaultValue = "wait",
        description = "What happens to a packet whose destination already occupies its share of the port's cells. "
            + "wait: "
            + "it waits, and nothing is lost; drop: it is dropped and counted by destination (default: "
            + "${DEFAULT-VALUE}).")
    WhenFull whenFull;

    @Option(names = "--queue-target", paramLabel = "TIME", defaultValue = "1ms",
        description = "Time that packets should not exceed under overload, for example 500us. For each destination, "
            + "a port may occupy as many cells as the fabric delivers to it in this time. off: --buffer-cells is the "
            + "only limit "
            + "(default: ${DEFAULT-VALUE}).")
    String queueTarget;

    @Option(names = "--ecn", description = "Mark ECN-capable IP packets that have taken longer than --queue-target.")
    boolean ecn;

    @Mixin
    ClassOptions classes = new ClassOptions();

    @Option(names = "--slots-per-second", paramLabel = "X", defaultValue = "0",
        description = "Slots per second; 0: as fast as possible (default: ${DEFAULT-VALUE}).")
    double slotsPerSecond;

    @Option(names = "--warm-up", paramLabel = "PACKETS", defaultValue = WarmUp.USUAL_PACKETS,
        description = "Maximum number of warm-up packets. Before the ports come up, live sends packets across the "
            + "fabric until all code is compiled; no counter includes them. 0: none (default: ${DEFAULT-VALUE}).")
    long warmUp;

    @Option(names = "--duration", paramLabel = "SECONDS",
        description = "Stop accepting packets after this many seconds (default: no limit).")
    Double duration;

    @Option(names = "--real-time",
        description = "Run at real-time priority (SCHED_RR), before all other programs; Linux only, needs root or "
            + "CAP_SYS_NICE.")
    boolean realTime;

    @Option(names = "--dir", paramLabel = "DIR",
        description = "Folder for the counters that ./skerry stat reads (default: where it looks).")
    Path folder;

    @Option(names = "--ctl", paramLabel = "PATH", arity = "0..1", fallbackValue = "",
        description = "Accept orders from ./skerry ctl at this Unix socket; only you can connect (default: a path in "
            + "the folder for the counters).")
    String ctl;

    @Option(names = "--out", paramLabel = "DIR",
        description = "Also write report.html, its plots and report.json to this new folder")
    Path results;

    @Option(names = "--json", description = "Print the results as JSON.")
    boolean json;

    /** Port text that selects a port of this process. */
    public static final String IN_PROCESS = VacantPort.KIND;

    private final String[] typed;
    /** Ports of this process, in the order of their options. They fill the vacant places. */
    private final Deque<LivePort> inProcess;
    /**
     * Stop request of the embedding program; null if signals of the process stop the run. An embedded run publishes its
     * counters only if a folder is set.
     */
    private final StopSignal ofProgram;

    /**
     * Creates the command for picocli, which then sets its options.
     *
     * @param typed the words of the command line, with files of options ({@code @FILE}) not expanded.
     */
    public LiveCommand(final String... typed) {
        this(null, List.of(), typed);
    }

    /**
     * Creates the command for a program that has ports of its own: each {@code --port N=}{@value #IN_PROCESS} uses the
     * next one.
     *
     * @param stop  stops the run.
     * @param ports ports of the program, in the order of their options.
     */
    public LiveCommand(final StopSignal stop, final List<LivePort> ports) {
        this(stop, ports, new String[0]);
    }

    private LiveCommand(final StopSignal stop, final List<LivePort> ports, final String... typed) {
        this.ofProgram = stop;
        this.inProcess = new ArrayDeque<>(ports);
        this.typed = typed;
    }

    @Override
    public Integer call() throws IOException {
        final PrintWriter err = err();
        fabric.resolve(classes.classes().count(), PortChoice.mostAtANode(ports));
        check();
        if (realTime) {
            enterRealTime(err);
        }
        final int nodes = fabric.fabric().population().endpoints();
        final List<PortChoice> choices = PortChoice.parse(ports, nodes);
        final List<String> warnings = PortChecks.check(choices, nodes,
            map != null ? null : ForwardingChoice.table(macTable, nodes), mtu);
        PortChecks.checkInputs(choices);
        PortChecks.checkCount(choices);
        final ForwardingChoice to = new ForwardingChoice(map, macTable, (long) (macAge * NS));
        checkVacant(choices);
        final List<MacForwarding> forwarding = to.of(choices, nodes);
        final EdgeConfig config = config(choices.size());
        fabric.remarks().forEach(remark -> err.println("skerry: " + remark));
        warnings.forEach(warning -> err.println("skerry: live: " + warning));
        final List<EdgePort> open = new ArrayList<>();
        final MemifSockets sockets = new MemifSockets();
        final List<PortSlot> portSlots = new ArrayList<>();
        try (StopSignal stop = ofProgram != null ? ofProgram : StopSignal.listen();
            CounterFile file = ofProgram != null && folder == null ? null
                : LiveCounters.file(folder, fabric.headline(), choices.size(), err);
            ScheduleFile _ = LiveCounters.schedule(folder, file, fabric.fabric(), err)) {
            for (int port = 0; port < choices.size(); port++) {
                portSlots.add(open(choices.get(port), sockets));
                open.add(choices.get(port).at(portSlots.getLast(), forwarding.get(port)));
            }
            warmUp(choices, () -> to.of(choices, nodes), config, stop);
            final LiveCounters counters = file == null ? null : new LiveCounters(file, portSlots);
            final PacketEdges edges = new PacketEdges(config, open, counters == null ? EdgeWatch.NONE : counters);
            final LiveResult result = new LiveRun(new LiveDispatcher.Setting(portSlots, forwarding, sockets, fabric,
                new LiveSettings(typed, spec(), rules(choices, nodes)), nodes, mtu),
                edges, duration, stop, counters, err).run(this::listen);
            final PrintWriter out = out();
            out.print(json ? result.json() : result.text());
            out.flush();
            warnOfEnd(result, err);
            if (results != null) {
                err.println("skerry: results in " + OutFolder.write(results, false,
                    folder -> result.write(words().stream().map(PortText::shown).toList(), folder)));
                err.flush();
            }
            return ended(result.exitCode(), stop);
        } finally {
            // A run closes its ports itself. These remain open if the run did not start.
            open.forEach(port -> port.port().discard());
        }
    }

    private static void warnOfEnd(final LiveResult result, final PrintWriter err) {
        if (!result.violation().isEmpty()) {
            err.println("skerry: live: invariant: " + result.violation() + ", please report it with the command line");
        } else if (result.givenUp()) {
            err.println("skerry: live: end: " + result.held() + " packets did not arrive within " + Drain.MOST_SLOTS
                + " slots, in which nothing else arrived either, check their destination ports and the faults");
        }
    }

    private PortSlot open(final PortChoice choice, final MemifSockets sockets) {
        final PortSlot portSlot = new PortSlot(choice, choice.is(IN_PROCESS) && !inProcess.isEmpty()
            ? inProcess.poll() : choice.open(sockets));
        PortChecks.checkMtu(choice, portSlot.port(), mtu)
            .forEach(warning -> err().println("skerry: live: " + warning));
        return portSlot;
    }

    /** Returns the exit code; one above 0 takes precedence over the code of a signal. */
    private static int ended(final int code, final StopSignal stop) {
        if (code != 0) {
            stop.endWith(code);
        }
        return code;
    }

    /** Returns the ports and the forwarding that these options select. */
    Rules rules() {
        fabric.resolve(classes.classes().count(), PortChoice.mostAtANode(ports));
        check();
        final int nodes = fabric.fabric().population().endpoints();
        final List<PortChoice> choices = PortChoice.parse(ports, nodes);
        PortChecks.checkCount(choices);
        checkVacant(choices);
        return rules(choices, nodes);
    }

    private Rules rules(final List<PortChoice> choices, final int nodes) {
        return new Rules(choices, map == null ? null : ForwardingChoice.map(map, choices),
            ForwardingChoice.table(macTable, nodes));
    }

    /** Runs warm-up packets across the fabric. The ports are already open, so that their errors are reported first. */
    private void warmUp(final List<PortChoice> choices, final Supplier<List<MacForwarding>> forwarding,
        final EdgeConfig config, final StopSignal stop) {
        // With --duration 0, no packet is sent.
        if (duration == null || duration > 0) {
            final WarmUp rehearsal = new WarmUp(fabric, config, choices, forwarding, stop);
            if (rehearsal.isWanted(warmUp)) {
                final PrintWriter err = err();
                err.println("skerry: live: warm-up: the ports come up after at most 10 s; with --warm-up 0 they come "
                    + "up at once, but the first seconds are slow");
                err.flush();
                err.println("skerry: live: " + rehearsal.run(warmUp));
                err.flush();
            }
        }
    }

    private void check() {
        inRange("--mtu", mtu, MIN_MTU, MAX_MTU);
        inRange("--mac-age", macAge, 0, 1e9);
        inRange("--stall-ms", stallMs, 0, 1e9);
        inRange("--slots-per-second", slotsPerSecond, 0, 1e12);
        inRange("--warm-up", warmUp, 0, 1e12);
        if (duration != null) {
            inRange("--duration", duration, 0, 1e9);
        }
        if (results != null) {
            OutFolder.checkFree(results);
        }
        Choices.refuseIf(map != null && macTable != null, "--mac-table", macTable, "--map is given too",
            "leave one of them out");
    }

    private static void inRange(final String option, final double value, final double least, final double most) {
        Choices.refuseIf(!(value >= least && value <= most), option, Double.toString(value).replaceFirst("\\.0$", ""),
            "must be " + (long) least + " to " + (long) most, "give a number in this range");
    }

    private EdgeConfig config(final int count) {
        final PacketFormat format = new PacketFormat(fabric.format(), mtu + PortChecks.HEADERS);
        final int least = EdgeConfig.leastBufferCells(format, count);
        Choices.refuseIf(bufferCells != null && (Integer.bitCount(bufferCells) != 1 || bufferCells < least
            || bufferCells > EdgeConfig.MOST_CELLS), "--buffer-cells", bufferCells, "must be a power of two between "
            + least + " (the cells of a packet flooded to every port) and " + EdgeConfig.MOST_CELLS,
            "leave it out or give a power of two in this range");
        final int cells = bufferCells != null ? bufferCells : EdgeConfig.usualBufferCells(format, count);
        final long bytes = (long) count * cells * format.cell().cellBytes();
        final long memory = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
        Choices.refuseIf(bytes > memory * MEMORY_SHARE, "--buffer-cells", cells, String.format(Locale.ROOT,
            "packets of %d ports need %,d MiB and the machine has %,d MiB", count, bytes >> 20, memory >> 20),
            "give fewer, or smaller --cell-bytes");
        final long targetNs = targetNs();
        Choices.refuseIf(ecn && targetNs == 0, "--ecn", "on", "--queue-target is off, so no packet would be "
            + "marked", "give a target or leave --ecn out");
        return new EdgeConfig(format, cells, (long) (stallMs * NS_PER_MS), slotsPerSecond, whenFull, targetNs, ecn,
            classes.classes());
    }

    private long targetNs() {
        if (queueTarget.equals("off")) {
            return 0;
        }
        final Matcher time = TIME.matcher(queueTarget);
        final double ns = !time.matches() ? 0 : Double.parseDouble(time.group(1)) * switch (time.group(2)) {
            case "us" -> NS_PER_US;
            case "ms" -> NS_PER_MS;
            default -> NS;
        };
        Choices.refuseIf(!(ns >= 1 && ns <= MOST_TARGET_NS), "--queue-target", queueTarget,
            "must be a time in us, ms or s, above 0, at most 3600s, or off", "write for example 500us, 1ms or 0.1s");
        return (long) ns;
    }

    /** Refuses vacant places if no port can be added later. */
    private void checkVacant(final List<PortChoice> choices) {
        for (final PortChoice choice : choices) {
            Choices.refuseIf(ctl == null && inProcess.isEmpty() && choice.is(VacantPort.KIND), "--port", choice,
                "only skerry ctl can add a port there", "add --ctl, or leave the port out");
        }
    }

    /** Opens the control socket, which the caller closes; returns null without {@code --ctl}. */
    private ControlSocket listen(final LiveDispatcher dispatcher) {
        if (ctl == null) {
            return null;
        }
        Path at = Path.of(ctl);
        if (ctl.isEmpty()) {
            final Path where = folder != null ? folder : PrivateFiles.userFolder();
            try {
                PrivateFiles.folder(where);
            } catch (final IOException e) {
                throw new InputException("--ctl", where.toString(), "no socket can be made there: "
                    + PrivateFiles.reason(e), "give a path");
            }
            at = where.resolve(ProcessHandle.current().pid() + ControlSocket.SUFFIX);
        }
        return ControlSocket.open(at, dispatcher);
    }

    /** Switches to real-time priority and warns if the kernel limits real-time threads that never wait. */
    private static void enterRealTime(final PrintWriter err) {
        final String refused = Scheduling.enterRealTime();
        Choices.refuseIf(!refused.isEmpty(), "live", "--real-time", refused,
            "start as root, with CAP_SYS_NICE or after ulimit -r 1, or leave it out");
        try {
            final long runtime = number("sched_rt_runtime_us");
            final long period = number("sched_rt_period_us");
            if (runtime >= 0 && runtime < period) {
                err.println(String.format(Locale.ROOT, "skerry: live: --real-time: the kernel suspends real-time "
                    + "threads after %,d us of CPU time in every %,d us; to avoid this, busy threads pause for a "
                    + "fifth of the time, except with --idle spin, yield or park", runtime,
                    period));
            }
        } catch (final IOException | NumberFormatException e) {
            // The kernel has no such limit.
        }
    }

    /** Reads a kernel setting in a single read, because these files do not continue a number in a second read. */
    private static long number(final String name) throws IOException {
        try (BufferedReader file = Files.newBufferedReader(KERNEL.resolve(name))) {
            return Long.parseLong(file.readLine());
        }
    }

    /** Options that select the traffic class of a packet by a field of its headers. Not thread-safe. */
    static final class ClassOptions {
        private static final String OF = "--class-of";
        private static final String MAP = "--class-map";
        private static final Pattern PART = Pattern.compile("(\\d{1,2})(?:-(\\d{1,2}))?:(\\d)");
        private static final int NOT_NAMED = -1;

        @Option(names = OF, paramLabel = "FIELD",
            description = "Shoal, Stardust: field that gives the traffic class of a packet. pcp: the priority in its "
                + "VLAN tag; dscp: the DSCP in its IP header. A packet without the field counts as 0 (default: one "
                + "class).")
        String field;

        @Option(names = MAP, paramLabel = "V-V:C,...",
            description = "With --class-of: traffic class of each value, 0 (highest) to 3. Values that are not "
                + "listed belong to the lowest class (default: four classes; for pcp 6-7:0,4-5:1,2-3:2,0-1:3, for "
                + "dscp 48-63:0,32-47:1,16-31:2,0-15:3).")
        String map;

        /**
         * Returns the selected classes.
         *
         * @throws InputException if the field does not exist, or the map is invalid.
         */
        PacketClasses classes() {
            if (field == null) {
                Choices.refuse(MAP, map, "there is no field to map", "add " + OF + " pcp or dscp");
                return PacketClasses.NONE;
            }
            final PacketClasses.Field of = Choices.of(OF, field.toLowerCase(Locale.ROOT), PacketClasses.Field.PCP,
                PacketClasses.Field.values());
            return new PacketClasses(of, map == null ? IntStream.range(0, of.size()).map(of::usualClass).toArray()
                : mapped(of.size()));
        }

        private int[] mapped(final int values) {
            final int[] classOf = new int[values];
            Arrays.fill(classOf, NOT_NAMED);
            for (final String part : map.split(",", -1)) {
                final Matcher pair = PART.matcher(part.strip());
                refuseIf(!pair.matches(), "'" + part + "' is not a mapping");
                final int first = Integer.parseInt(pair.group(1));
                final int last = pair.group(2) == null ? first : Integer.parseInt(pair.group(2));
                final int to = Integer.parseInt(pair.group(3));
                refuseIf(first > last || last >= values || to >= FlowSet.MAX_CLASSES, "'" + part
                    + "' is out of range: values are 0 to " + (values - 1) + ", classes 0 to "
                    + (FlowSet.MAX_CLASSES - 1));
                for (int value = first; value <= last; value++) {
                    refuseIf(classOf[value] != NOT_NAMED, "value " + value + " is listed twice");
                    classOf[value] = to;
                }
            }
            final int lowest = Arrays.stream(classOf).max().orElse(0);
            Arrays.setAll(classOf, value -> classOf[value] == NOT_NAMED ? lowest : classOf[value]);
            refuseIf(lowest == 0, "all packets would belong to one class");
            refuseIf(Arrays.stream(classOf).distinct().count() <= lowest, "no value belongs to a class above "
                + lowest);
            return classOf;
        }

        private void refuseIf(final boolean wrong, final String why) {
            Choices.refuseIf(wrong, MAP, map, why, "write values and classes, for example 4-7:0,0-3:1");
        }
    }
}
