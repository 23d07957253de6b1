package dev.skerry.nic.shale;

import dev.skerry.dataplane.circuit.InFlightCells;

/**
 * The admission where links may fail, before that of congestion control: it keeps cells off links that lead nowhere,
 * and lets notices of failures ride ahead of feedback (docs/spec/shale.md §8.3). One bank, one thread.
 */
public final class LinkFailureAdmission implements Admission {
    private final CongestionControl control;
    private final PathReachability reach;
    private final SlotMath numbers;
    private final int firstSprays;

    /**
     * Nothing has failed.
     *
     * @param shale   the fabric.
     * @param control what admits while nothing fails.
     * @param reach   what is known of failures.
     * @param nodes   nodes of the bank.
     */
    public LinkFailureAdmission(final Shale shale, final CongestionControl control, final PathReachability reach,
        final int nodes) {
        this.control = control;
        this.reach = reach;
        this.numbers = new SlotMath(shale.schedule(), nodes);
        this.firstSprays = shale.schedule().phases() - 1;
    }

    /** Which nodes of a block have their link up: 1 for each, else 0. */
    public void up(final int slotInEpoch, final int first, final int count, final int[] into) {
        reach.states.up(first, count, numbers.phase(slotInEpoch), numbers.link(slotInEpoch), into);
    }

    /**
     * Marks nodes whose next local cell failures may block.
     *
     * @param destinations of the next local cell of each node of the block.
     * @param asking       1 for a node that asks to send it, else 0; gets 0 for a hindered node.
     * @param hindered     gets 1 for a hindered node, else stays.
     */
    public void hinder(final int slotInEpoch, final int first, final int count, final int[] destinations,
        final int[] asking, final int[] hindered) {
        final int phase = numbers.phase(slotInEpoch);
        final int link = numbers.link(slotInEpoch);
        for (int i = 0; i < count; i++) {
            if (asking[i] != 0 && reach.isTroubled(first + i)
                && !reach.usable(first + i, phase, link, destinations[i], firstSprays)) {
                asking[i] = 0;
                hindered[i] = 1;
            }
        }
    }

    @Override
    public boolean admitLocal(final int queue, final int node, final int destination) {
        if (!reach.isTroubled(node)) {
            return control.admitLocal(queue, node, destination);
        }
        if (reach.usable(node, numbers.phaseOf(queue), numbers.linkOf(queue), destination, firstSprays)) {
            return control.admitLocal(queue, node, destination);
        }
        reach.onRefused(node, destination);
        return false;
    }

    /** Over a link that is down nothing is owed, and there is nothing to tell. */
    @Override
    public void takeFeedback(final int firstQueue, final int count, final long[] into) {
        if (reach.notices.areEmpty(firstQueue, count)) {
            control.takeFeedback(firstQueue, count, into);
        } else {
            Admission.super.takeFeedback(firstQueue, count, into);
        }
        assert areSilent(firstQueue, count, into);
    }

    private boolean areSilent(final int firstQueue, final int count, final long[] feedback) {
        for (int i = 0; i < count; i++) {
            final int queue = firstQueue + i;
            assert reach.states.isUp(queue) || feedback[i] == InFlightCells.NO_FEEDBACK : "queue=" + queue;
        }
        return true;
    }

    @Override
    public long takeFeedback(final int queue) {
        if (reach.notices.isEmpty(queue)) {
            return control.takeFeedback(queue);
        }
        final int first = reach.notices.poll(queue);
        int second = reach.notices.poll(queue);
        if (second == FailureNotices.NONE) {
            second = control.takeNotice(queue);
        }
        return (long) second << 32 | first & 0xFFFF_FFFFL;
    }
}
