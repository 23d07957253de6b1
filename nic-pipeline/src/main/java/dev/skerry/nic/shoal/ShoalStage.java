package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.flow.NodeRange;

/** A stage of a bank, with the state that it shares with the others. One thread, that of the bank. */
abstract sealed class ShoalStage permits NodeTurns, ShoalReceiver, NeighbourProtocol {
    final ShoalBank.Parts parts;
    final NodeRange range;
    /** Nodes of the fabric. */
    final int nodes;
    final ShoalSlotPlan plan;
    final InFlightCells link;
    /** Queues of the highest class, and of each class. */
    final ShoalQueues queues;
    final ShoalQueues[] ofClass;
    final JoinedQueues joined;
    final Throttles throttles;
    final SentCells sent;
    final Reports reports;
    final ShoalFlowScheduler scheduler;
    final NodeMaxima maxima;
    /** Null if nothing can fail and there is one traffic class. */
    final ShoalFailures.State state;
    final NeighbourTable neighbours;

    ShoalStage(final ShoalBank.Parts parts) {
        this.parts = parts;
        this.range = parts.range();
        this.nodes = parts.shoal().nodes();
        this.plan = parts.plan();
        this.link = parts.ends().link();
        this.queues = parts.queues()[0];
        this.ofClass = parts.queues();
        this.joined = parts.joined();
        this.throttles = parts.throttles();
        this.sent = parts.sent();
        this.reports = parts.reports();
        this.scheduler = parts.scheduler();
        this.maxima = parts.maxima();
        this.state = parts.state();
        this.neighbours = state == null ? null : state.neighbours();
    }
}
