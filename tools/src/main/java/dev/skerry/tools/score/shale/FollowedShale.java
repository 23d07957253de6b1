package dev.skerry.tools.score.shale;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.follow.ShaleFabricFollower;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.shale.ShaleWords;
import dev.skerry.tools.score.FollowedKind;
import dev.skerry.tools.score.TraceLines;
import dev.skerry.tools.traffic.FaultReader;
import dev.skerry.tools.traffic.FaultReader.Faulty;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Options and followers for recorded Shale nodes. Not thread-safe. */
public final class FollowedShale implements FollowedKind {
    private static final List<String> WITHOUT_FAULTS = List.of("--state", "--from", "--settle", "--header", "--ties",
        "--permit-nothing", "--free-order", "--tokens-a-slot", "--owed-fifo", "--queue-cells", "--register-bits",
        "--silence", "--scan-depth", "--owed-latency", "--token-delay", "--cell-delay", "--receive-first",
        "--saturated");

    @Option(names = "--state", paramLabel = "STATE.csv",
        description = "Shale: registers of every node after every slot, which are checked too. Columns: slot, node, "
            + "and any of total_fwd (cells held), fwd_P_K (cells queued for link K of phase P) and tok_P_K_dDnS "
            + "(tokens of bucket D, S left there).")
    Path state;

    @Option(names = "--faults", paramLabel = "FILE",
        description = "Shale: script of the faults that occurred during the recording, as for 'skerry run --faults'. "
            + "The columns tok1_kind and tok2_kind then distinguish tokens (1) from notices (2, 3), and dummy 3 is a "
            + "probe.")
    Path faults;

    @Option(names = "--free-order",
        description = "Shale: accept any order among cells that wait for the same link, as from a shared buffer.")
    boolean freeOrder;

    @Option(names = "--tokens-a-slot", paramLabel = "K", defaultValue = "2",
        description = "Shale: maximum number of tokens per slot, 1 or 2 (default: ${DEFAULT-VALUE}).")
    int tokensASlot;

    @Option(names = "--owed-fifo", paramLabel = "K",
        description = "Shale: capacity for tokens that wait for a link (default: no limit).")
    Integer owedFifo;

    @Option(names = "--queue-cells", paramLabel = "K",
        description = "Shale: capacity for cells that wait for a link (default: no limit).")
    Integer queueCells;

    @Option(names = "--full", paramLabel = "WHAT",
        description = "Shale: what happens to a cell or token that finds no room. count: it is a finding; drop: the "
            + "device loses it; stall (tokens only): cells that would owe a token wait (default: count).")
    String full;

    @Option(names = "--register-bits", paramLabel = "K", defaultValue = "32",
        description = "Shale: width in bits of the counters in --state, which wrap, 1 to 32 (default: "
            + "${DEFAULT-VALUE}).")
    int registerBits;

    @Option(names = "--scan-depth", paramLabel = "K",
        description = "Shale: entries of a queue, from its head, among which the device looks for a cell that may "
            + "leave (default: all).")
    Integer scanDepth;

    @Option(names = "--owed-latency", paramLabel = "K",
        description = "Shale: slots from the departure of a cell until the token that it owes can be returned "
            + "(default: 0).")
    Integer owedLatency;

    @Option(names = "--token-delay", paramLabel = "K",
        description = "Shale: slots until a token that came back counts, beyond the next slot (default: 0).")
    Integer tokenDelay;

    @Option(names = "--cell-delay", paramLabel = "K",
        description = "Shale: slots until a cell that arrived joins its queue, beyond the next slot (default: 0). "
            + "Store and forward is --cell-delay 1 --token-delay 1.")
    Integer cellDelay;

    @Option(names = "--saturated", paramLabel = "K",
        description = "Shale: assume that every host always has a cell for each destination that it has sent to. A "
            + "destination with tokens left on a link may be skipped there at most K times; more indicate a lost "
            + "token.")
    Integer saturated;

    @Option(names = "--receive-first",
        description = "Shale: what arrives in a slot can change what the device sends in the same slot.")
    boolean receiveFirst;

    @Option(names = "--h", paramLabel = "H", defaultValue = "2",
        description = "Shale: number of phases, 1 to 8 (default: ${DEFAULT-VALUE}).")
    int phases;

    @Option(names = "--cc", paramLabel = "PARTS", defaultValue = "hbh+spray",
        description = "Shale: link of a spraying hop. hbh+spray: one with a shortest queue; hbh+spray-bucket: one "
            + "with the fewest cells of the bucket, and of these one with a shortest queue; hbh: any. Each with "
            + "+priority, which needs --free-order (default: ${DEFAULT-VALUE}).")
    String control;

    @Option(names = "--tokens", paramLabel = "T", defaultValue = "1",
        description = "Shale: tokens of a bucket on a link, 1 to 255 (default: ${DEFAULT-VALUE}).")
    int tokens;

    @Option(names = "--first-hop-tokens", paramLabel = "TF",
        description = "Shale: the same for first hops, at least T (default: T).")
    Integer firstHopTokens;

    @Option(names = "--ties", paramLabel = "RULE",
        description = "Shale: link that a cell must take of several with equally short queues. lowest; rotating, the "
            + "next after the one that the node used last in this phase; drawn or any, no restriction (default: any).")
    String ties;

    @Option(names = "--miss-limit", paramLabel = "K",
        description = "Shale, with --faults: consecutive cells that must be missing before a link is considered down "
            + "(default: 1).")
    Integer missLimit;

    /** Rule that the device must follow among equally short links. */
    private enum Ties {
        ANY(TieRule.DRAWN), DRAWN(TieRule.DRAWN), LOWEST(TieRule.LOWEST), ROTATING(TieRule.ROTATING);

        private final TieRule rule;

        Ties(final TieRule rule) {
            this.rule = rule;
        }
    }

    /** Returns what the device may do, and its limits and latencies. */
    private FollowRules rules(final int silence) {
        if (owedFifo == null && queueCells == null) {
            Choices.refuse("--full", full, "there is no limit that could be reached", "leave it out or add "
                + "--owed-fifo or --queue-cells");
        }
        final Full choice = Choices.of("--full", full, Full.COUNT, Full.values());
        Choices.refuseIf(choice == Full.STALL && (owedFifo == null || queueCells != null), "--full", full,
            "tokens can wait for room, but arriving cells cannot", "give --owed-fifo alone");
        Choices.refuseIf(freeOrder && scanDepth != null, "--scan-depth", scanDepth,
            "an unordered store has no first entries", "leave out --scan-depth or --free-order");
        FollowRules rules = FollowRules.STRICT.with(Setting.SILENCE, silence)
            .with(Setting.FREE_ORDER, freeOrder ? 1 : 0).with(Setting.RECEIVE_FIRST, receiveFirst ? 1 : 0);
        rules = with(rules, "--tokens-a-slot", Setting.TOKENS_A_SLOT, tokensASlot);
        rules = with(rules, "--owed-fifo", Setting.OWED_FIFO, owedFifo);
        rules = with(rules, "--queue-cells", Setting.QUEUE_CELLS, queueCells);
        rules = with(rules, "--register-bits", Setting.REGISTER_BITS, registerBits);
        rules = with(rules, "--scan-depth", Setting.SCAN_DEPTH, scanDepth);
        rules = with(rules, "--owed-latency", Setting.OWED_LATENCY, owedLatency);
        rules = with(rules, "--token-delay", Setting.TOKEN_DELAY, tokenDelay);
        rules = with(rules, "--cell-delay", Setting.CELL_DELAY, cellDelay);
        rules = with(rules, "--saturated", Setting.SATURATED, saturated);
        return rules.with(choice);
    }

    private static FollowRules with(final FollowRules rules, final String option, final Setting setting,
        final Integer value) {
        return value == null ? rules
            : rules.with(setting, Choices.inRange(option, value, setting.least(), setting.most()));
    }

    private static Faults faults(final Path file, final Shale of) {
        final Faults faults = new Faults(FaultReader.read(file, new Faulty(of.population())), 1);
        Choices.refuseIf(faults.plan().faults().stream().anyMatch(Fault.Clock.class::isInstance), "--faults", file,
            "clocks that are off cannot be followed", "leave them out");
        return faults;
    }

    private Shale fabric(final int nodes, final int propagation) {
        Choices.inRange("--h", phases, 1, Phased.MAX_PHASES);
        Choices.inRange("--tokens", tokens, 1, Shale.MAX_TOKENS);
        final int first = Choices.inRange("--first-hop-tokens", firstHopTokens, tokens, Shale.MAX_TOKENS, tokens);
        final int radix = Population.radixFor(phases, nodes);
        Choices.refuseIf(Math.round(Math.pow(radix, phases)) != nodes, "--nodes", nodes, "it is not r^" + phases
            + " for any r", "check --nodes and --h");
        final Phased schedule = new Phased(phases, radix);
        return new Shale(schedule, Population.complete(schedule), mechanisms(), tokens, first, propagation,
            1, new FailureRules(Choices.inRange("--miss-limit", missLimit, 1, FailureRules.MAX_MISSES, 1), false));
    }

    private MechanismSet mechanisms() {
        final Ties rule = Choices.of("--ties", ties, Ties.ANY, Ties.values());
        return switch (control) {
            case "hbh" -> {
                Choices.refuse("--ties", ties, "--cc hbh lets a cell take any link", "leave it out");
                yield Mechanisms.HBH;
            }
            case "hbh+spray-bucket" -> {
                Choices.refuse("--ties", ties, "with bucket spray any of the least links is accepted",
                    "leave it out");
                yield Mechanisms.of(control);
            }
            case "hbh+priority", "hbh+spray+priority", "hbh+spray-short+priority", "hbh+spray-bucket+priority" -> {
                Choices.refuse("--ties", ties, "with priority any tie is accepted", "leave it out");
                Choices.refuseIf(!freeOrder, "--cc", control, "a trace has no ranks, so the order in which "
                    + "cells leave a queue cannot be judged", "add --free-order");
                yield Mechanisms.of(control);
            }
            case "hbh+spray", "hbh+spray-short" -> Mechanisms.HBH_SPRAY.with(rule.rule);
            default ->
                throw new InputException("--cc", control, "only devices with hop-by-hop tokens can be followed",
                "use hbh, hbh+spray or hbh+spray-bucket, and +priority");
        };
    }

    @Override
    public String name() {
        return "shale";
    }

    @Override
    public LinkWords words() {
        return new ShaleWords(null, 1);
    }

    @Override
    public FabricFollower follower(final Recording of, final FindingLog log) {
        final Shale shale = fabric(of.nodes(), of.propagationSlots());
        Choices.refuseIf(of.header() != null && !of.header().has("sprays"), "--header",
            of.header() == null ? "" : of.header().name(), "it has no field sprays",
            "give the header of a Shale node");
        if (faults == null) {
            final FollowRules rules = rules(of.silence());
            Choices.refuseIf(receiveFirst && of.propagationSlots() < 1, "--propagation-slots", of.propagationSlots(),
                "with --receive-first, the delay must be at least one slot", "give 1 or more, or no --receive-first");
            return state == null ? new ShaleFabricFollower(shale, of.names(), rules, log)
                : new RegisterFollower(shale, of.names(), rules, log,
                    new RegisterTrace(new TraceLines("state", state), shale.schedule(), of.names()));
        }
        for (final String option : WITHOUT_FAULTS) {
            Choices.refuseIf(of.typed().test(option), option, name(), "it is not checked with faults", "leave it out");
        }
        return new ShaleFabricFollower(shale, of.names(), faults(faults, shale), log);
    }

    /**
     * Followers that also compare the registers of every node, and derive from them which links cells join. Not
     * thread-safe.
     */
    static final class RegisterFollower extends ShaleFabricFollower {
        private final RegisterTrace registers;
        private final int[] joined;
        private boolean known = true;

        RegisterFollower(final Shale shale, final CellNames names, final FollowRules rules, final FindingLog log,
            final RegisterTrace registers) {
            super(shale, names, rules, log);
            this.registers = registers;
            this.joined = new int[shale.nodes()];
        }

        @Override
        public void step(final NodeCells[] sent, final NodeCells[] received) {
            Arrays.fill(joined, Follower.UNTOLD);
            known = known && registers.turnTo(slot());
            if (known) {
                registers.joined(slot(), sent, joined);
            }
            super.step(sent, received);
            if (known) {
                registers.compare(this);
            }
        }

        @Override
        protected int joined(final int node) {
            return joined[node];
        }

        @Override
        public long registers() {
            return registers.compared();
        }

        @Override
        public void close() {
            registers.close();
        }
    }
}
