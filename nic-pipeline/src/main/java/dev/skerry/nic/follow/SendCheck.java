package dev.skerry.nic.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.Route;

import java.util.Arrays;

/** What a followed node sends: whether it might, and what follows from it (docs/spec/shale.md §5.3). */
final class SendCheck {
    private static final long UNKNOWN = -1;

    private final FollowedNode state;
    private final HeldCells held;
    private final TokenBooks tokens;
    private final CellNames names;
    private final FollowRules rules;
    private final int linksPerPhase;
    /** By flow of the node: the sequence number of its next cell, or {@link #UNKNOWN}. */
    private final long[] next;
    /** Tokens seen in a slot. */
    private final int[] riders = new int[2];
    private long slot;
    private int link;
    private int phase;
    private int peer;
    /** The cell of this slot that owes a token, null for none. */
    private HeldCell owing;

    SendCheck(final FollowedNode state, final FollowRules rules) {
        this.state = state;
        this.held = state.held;
        this.tokens = state.tokens;
        this.names = state.names;
        this.rules = rules;
        this.linksPerPhase = state.schedule.linksPerPhase();
        this.next = new long[names.flows()];
    }

    /** Checks the words of a slot and takes over what they say. */
    void check(final long now, final long route, final long cell, final long feedback) {
        slot = now;
        link = state.schedule.slotInEpoch(now);
        phase = link / linksPerPhase;
        peer = state.peer(link);
        if (route == InFlightCells.SILENCE) {
            if (!rules.mayBeSilent()) {
                find(Law.SCHEDULE, Finding.NO_BUCKET, "a cell or a dummy", "nothing");
                checkQueue(null, "nothing");
            }
            return;
        }
        if (!InFlightCells.isCell(route)) {
            checkQueue(null, "a dummy");
        } else if (!state.isBucket(Route.bucket(route)) || !names.exists(cell)) {
            find(Law.ROUTE, Finding.NO_BUCKET, "a cell of this fabric", "route 0x" + Long.toHexString(route)
                + " cell 0x" + Long.toHexString(cell));
        } else if (names.source(cell) == state.node) {
            sendLocal(cell, Route.bucket(route));
        } else {
            sendHeld(cell, Route.bucket(route));
        }
        checkTokens((int) feedback, (int) (feedback >>> Integer.SIZE));
        checkOwed();
    }

    /** The first cell seen of each flow says where its sequence numbers are. */
    void learnSequences() {
        Arrays.fill(next, UNKNOWN);
    }

    /** Cells of a flow that the device has sent, -1 if not known. */
    long next(final int flow) {
        return next[flow];
    }

    void setNext(final int flow, final long sequence) {
        next[flow] = sequence;
    }

    private void find(final Law law, final int bucket, final String expected, final String seen) {
        state.find(law, slot, link, bucket, expected, seen);
    }

    private String text(final HeldCell cell) {
        return CellText.cell(names, cell.cell, cell.next);
    }

    /**
     * No cell that came before {@code sent}, null for none at all, may have been able to leave. Open cells that might
     * have gone are then not here.
     *
     * @return false if one was known to be here.
     */
    private boolean checkQueue(final HeldCell sent, final String seen) {
        HeldCell after;
        for (HeldCell at = held.first(phase); at != sent; at = after) {
            after = at.after;
            if (at.mayBeAt(link - phase * linksPerPhase, link) && mayLeave(at)) {
                if (at.link == HeldCell.OPEN) {
                    held.exclude(phase, at, link);
                } else {
                    find(Law.ORDER, at.owedBucket, text(at), seen);
                    return false;
                }
            }
        }
        return true;
    }

    private boolean mayLeave(final HeldCell cell) {
        return state.mayLeave(cell, link, peer) && !stalls(cell);
    }

    /** Whether a cell waits because the token that it would owe has no room. */
    private boolean stalls(final HeldCell cell) {
        return rules.owed().full() == Full.STALLS && tokens.waiting(cell.owedLink) >= rules.owed().places();
    }

    private void sendLocal(final long cell, final int bucket) {
        final String seen = CellText.cell(names, cell, bucket);
        final int flow = names.flow(cell);
        next[flow] = next[flow] == UNKNOWN ? names.sequence(cell) : next[flow];
        final long ahead = names.sequence(cell) - next[flow] & names.sequences() - 1;
        final int expected = Route.bucket(names.destination(cell), state.schedule.phases() - 1);
        if (bucket != expected) {
            find(Law.ROUTE, bucket, CellText.cell(names, cell, expected), seen);
        } else if (ahead >= names.sequences() / 2) {
            find(Law.CONSERVATION, bucket, "seq " + next[flow], seen + ", which left before");
        } else if (ahead > 0) {
            find(Law.ORDER, bucket, "seq " + next[flow], seen);
        } else if (!names.hasCell(cell, slot)) {
            find(Law.CONSERVATION, bucket, "no cell that its flow does not have yet", seen);
        } else if (checkQueue(null, seen)) {
            checkPaid(bucket, names.destination(cell), seen);
        }
        if (ahead < names.sequences() / 2) {
            next[flow] = names.sequence(cell) + 1 & names.sequences() - 1;
        }
        spend(bucket, Route.bucketDestination(bucket));
    }

    private void checkPaid(final int bucket, final int destination, final String seen) {
        if (destination != peer && !tokens.has(link, bucket)) {
            find(Law.TOKEN, bucket, "no cell that needs a token, as " + tokens.spent(link, bucket) + " of "
                + tokens.budget(bucket) + " are out", seen);
        }
    }

    private void spend(final int bucket, final int destination) {
        if (destination != peer) {
            tokens.spend(link, bucket);
        }
    }

    private void sendHeld(final long cell, final int bucket) {
        final String seen = CellText.cell(names, cell, bucket);
        HeldCell sent = held.find(phase, cell);
        if (sent == null) {
            sent = sendStranger(cell, bucket, seen);
        } else if (!sent.mayBeAt(link - phase * linksPerPhase, link)) {
            find(Law.ROUTE, sent.owedBucket, text(sent) + " on " + (sent.link == HeldCell.OPEN
                ? "another link" : "link " + sent.link), seen);
        } else if (bucket != sent.next) {
            find(Law.ROUTE, sent.owedBucket, text(sent), seen);
        } else if (rules.freeOrder() || checkQueue(sent, seen)) {
            checkPaid(bucket, sent.destination, seen);
        }
        if (sent != null && stalls(sent)) {
            state.find(Law.CAPACITY, slot, sent.owedLink, sent.owedBucket, "no cell that owes a token on a link with "
                + rules.owed().places() + " waiting", seen);
        }
        if (sent == null) {
            spend(bucket, Route.bucketDestination(bucket));
            return;
        }
        held.settle(phase, sent, link);
        held.remove(phase, sent);
        spend(sent.next, sent.destination);
        tokens.owe(sent.owedLink, sent.owedBucket);
        owing = sent;
    }

    /** After the tokens of a slot have gone: whether the one that the cell owes has room. */
    private void checkOwed() {
        if (owing != null && rules.owed().full() != Full.STALLS
            && tokens.waiting(owing.owedLink) > rules.owed().places()) {
            if (rules.owed().drops()) {
                tokens.dropLast(owing.owedLink);
            } else {
                state.find(Law.CAPACITY, slot, owing.owedLink, owing.owedBucket, "at most " + rules.owed().places()
                    + " tokens to wait for the link", "one more");
            }
        }
        owing = null;
    }

    /**
     * A cell that is not held for the phase. If one of its bucket should have left, that one did, and its name was
     * changed; if it is held for another phase, it left too early.
     *
     * @return the cell that is taken for it and waits for this phase, null for none.
     */
    private HeldCell sendStranger(final long cell, final int bucket, final String seen) {
        for (int other = 0; other < state.schedule.phases(); other++) {
            final HeldCell elsewhere = other == phase ? null : held.find(other, cell);
            if (elsewhere != null) {
                find(Law.ROUTE, elsewhere.owedBucket, text(elsewhere) + " in phase " + other, seen);
                held.settle(other, elsewhere, other * linksPerPhase);
                held.remove(other, elsewhere);
                tokens.owe(elsewhere.owedLink, elsewhere.owedBucket);
                return null;
            }
        }
        for (HeldCell at = held.first(phase); at != null; at = at.after) {
            if (at.next == bucket && at.mayBeAt(link - phase * linksPerPhase, link) && mayLeave(at)) {
                find(Law.PAYLOAD, at.owedBucket, text(at), seen);
                return at;
            }
        }
        find(Law.CONSERVATION, bucket, "a cell that is held", seen);
        return null;
    }

    /** Tokens ride in the order in which they are owed, two with each cell or dummy, or one. */
    private void checkTokens(final int seen1, final int seen2) {
        final int first = tokens.poll(link);
        final int second = rules.tokensASlot() == 1 ? Admission.NO_NOTICE : tokens.poll(link);
        if (first == seen1 && second == seen2) {
            return;
        }
        if (first == seen2 && second == seen1) {
            find(Law.TOKEN, first, "tokens " + CellText.token(first) + " " + CellText.token(second),
                CellText.token(seen1) + " " + CellText.token(seen2));
            return;
        }
        riders[0] = seen1;
        riders[1] = seen2;
        final boolean complete = rides(first) & rides(second);
        for (final int rider : riders) {
            if (rider != Admission.NO_NOTICE) {
                stray(rider, complete);
            }
        }
    }

    /**
     * A token rides that is not next.
     *
     * @param complete whether the ones that are next ride too; else it may be next, as one of them was lost.
     */
    private void stray(final int rider, final boolean complete) {
        if (!state.isBucket(rider)) {
            find(Law.TOKEN, Finding.NO_BUCKET, "a token of this fabric", "0x" + Integer.toHexString(rider));
        } else if (!tokens.takeLate(link, rider)) {
            if (tokens.takeOwed(link, rider)) {
                if (complete) {
                    find(Law.TOKEN, rider, "tokens in the order they are owed", CellText.token(rider));
                }
                return;
            }
            final int elsewhere = tokens.takeElsewhere(rider);
            find(Law.TOKEN, rider, elsewhere < 0 ? "no token that is not owed" : "token " + CellText.token(rider)
                + " on link " + elsewhere, CellText.token(rider));
        }
    }

    /** Takes an owed token off the riders; if it is not among them, it is late. */
    private boolean rides(final int owed) {
        if (owed == Admission.NO_NOTICE) {
            return true;
        }
        for (int i = 0; i < riders.length; i++) {
            if (riders[i] == owed) {
                riders[i] = Admission.NO_NOTICE;
                return true;
            }
        }
        find(Law.TOKEN, owed, "token " + CellText.token(owed) + " to ride", "it does not");
        tokens.missed(link, owed);
        return false;
    }
}
