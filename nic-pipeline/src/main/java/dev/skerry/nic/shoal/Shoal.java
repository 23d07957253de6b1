package dev.skerry.nic.shoal;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.check.Bounds;

/**
 * A Shoal fabric: everything that decides how its cells travel. Nothing in it is random, so it takes no seed.
 *
 * @param schedule         the circuits of every slot; a node sends and receives one cell per channel and slot.
 * @param population       the nodes that are present; all of them, and all are endpoints.
 * @param rule             the rule for the release of cells.
 * @param ageRule          whether a young flow waits for short queues, the 2^age rule (Shoal §3.3.3, docs/spec/shoal.md
 *                         §4.2).
 * @param propagationSlots P: a cell sent in slot s is handled in slot s + P, after that slot's own sending; 0 to 2^20.
 * @param resilience       the start of the fabric, and rules for failures, which have no effect without faults and
 *                         classes.
 * @param flowOrder        the order in which messages of a flow send cells.
 * @param failedNodes      nodes 0 to failedNodes - 1 never answer, and all others know it from the start; 0 to N - 2.
 *                         Flows have survivors as ends only. Not in a run with faults or classes.
 */
public record Shoal(
    RoundRobin schedule,
    Population population,
    ReleaseRule rule,
    boolean ageRule,
    int propagationSlots,
    Resilience resilience,
    FlowOrder flowOrder,
    int failedNodes) implements CircuitFabric {

    /** Longest propagation delay. */
    public static final int MAX_PROPAGATION_SLOTS = 1 << 20;
    /** Longest run in epochs: throttles count epochs in 32 bits. */
    public static final int MAX_EPOCHS = Throttles.MAX_EPOCHS;

    /** Checks the bounds of every component, and that the components fit each other. */
    public Shoal {
        Bounds.refuseIf(population.endpoints() != schedule.nodes() || !population.allPresent(),
            "every node must be an endpoint: nodes=", schedule.nodes(), " endpoints=", population.endpoints());
        Bounds.require("propagationSlots", propagationSlots, 0, MAX_PROPAGATION_SLOTS);
        Bounds.refuseIf(failedNodes < 0 || failedNodes > schedule.nodes() - 2,
            "failedNodes must be 0 to nodes - 2: failedNodes=", failedNodes, " nodes=", schedule.nodes());
        Bounds.refuseIf(rule == ReleaseRule.AUTHORS_SIMULATOR
            && (schedule.channels() != 1 || schedule.isRearranged() || propagationSlots != 0),
            "the authors' simulator supports only one channel, the plain schedule and no delay: "
                + "channels=", schedule.channels(),
            " rearranged=", schedule.isRearranged(), " propagationSlots=", propagationSlots);
    }

    /** Creates a fabric whose nodes are all present, with the rules for failures of docs/spec/shoal.md. */
    public static Shoal of(final RoundRobin schedule, final ReleaseRule rule, final boolean ageRule,
        final int propagationSlots) {
        return new Shoal(schedule, Population.complete(new Phased(1, schedule.nodes())), rule, ageRule,
            propagationSlots, Resilience.DEFAULT, FlowOrder.ROUND_ROBIN, 0);
    }

    /** Returns the same fabric with other rules for failures. */
    public Shoal with(final Resilience other) {
        return new Shoal(schedule, population, rule, ageRule, propagationSlots, other, flowOrder, failedNodes);
    }

    /** Returns the same fabric with another order of messages. */
    public Shoal with(final FlowOrder other) {
        return new Shoal(schedule, population, rule, ageRule, propagationSlots, resilience, other, failedNodes);
    }

    /** Returns the same fabric with nodes that never answer. */
    public Shoal withFailedNodes(final int nodes) {
        return new Shoal(schedule, population, rule, ageRule, propagationSlots, resilience, flowOrder, nodes);
    }

    /** Returns the first slot in which switches cycle and nodes send: the start of an epoch. */
    public long firstSlot() {
        return (long) resilience.holdEpochs() * schedule.epochSlots();
    }

    @Override
    public int nodes() {
        return schedule.nodes();
    }

    @Override
    public int channels() {
        return schedule.channels();
    }

    /**
     * Returns the share of line rate that is guaranteed to any admissible traffic (Shoal §3.3.1), less the share lost
     * to failed nodes.
     */
    public double guarantee() {
        return 0.5 * (nodes() - 1 - failedNodes) / (nodes() - 1);
    }
}
