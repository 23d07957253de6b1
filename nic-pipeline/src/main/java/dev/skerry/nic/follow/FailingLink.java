package dev.skerry.nic.follow;

import java.util.HashMap;
import java.util.Map;

/**
 * A link of a followed node that guards against failures: whether the node must take it for up, as far as its cells
 * tell (docs/spec/shale.md §8.1, §8.5), and its tokens. Where both may be right, what the node sends says which it is.
 * One thread.
 */
final class FailingLink {
    /** Probes in a row that an end must have heard before it comes up. */
    private static final int HEARD_ENOUGH = 4;

    private final int missLimit;
    private State state = State.UP;
    private boolean wasDown;
    private int misses;
    private int heard;
    /** A cell was missing at the other end, so tokens are not known until the link has been down. */
    private boolean blurred;
    private final Map<Integer, Integer> out = new HashMap<>();
    private final Map<Integer, Integer> owed = new HashMap<>();

    /** What the node must take the link for. */
    enum State {
        UP, DOWN,
        /** Nobody but the node knows. */
        EITHER
    }

    FailingLink(final int missLimit) {
        this.missLimit = missLimit;
    }

    State state() {
        return state;
    }

    /** Nothing came in a slot of the neighbour. */
    void miss() {
        heard = 0;
        misses++;
        if (state != State.DOWN && misses >= missLimit) {
            down();
        }
    }

    /** A cell or dummy came. */
    void cell() {
        if (state == State.DOWN && heard >= HEARD_ENOUGH) {
            state = State.EITHER;
        }
        misses = 0;
        heard = 0;
    }

    /** A probe came. */
    void probe() {
        misses = 0;
        heard++;
        if (state == State.UP) {
            // The last one of a neighbour that comes up, or the neighbour has gone down.
            heard = 1;
            state = State.EITHER;
            if (!wasDown) {
                down();
                heard = 1;
            }
        } else if (state == State.DOWN && heard >= HEARD_ENOUGH) {
            state = State.EITHER;
        }
    }

    /** The node goes down, starts again, or shows that it has taken the link for down. */
    void down() {
        state = State.DOWN;
        wasDown = true;
        misses = 0;
        blurred = false;
        out.clear();
        owed.clear();
    }

    /** The node shows that it takes the link for up. */
    void up() {
        state = State.UP;
    }

    /** The neighbour says that a cell is missing: tokens are restored; if notices rode with it, the link goes down. */
    void missing() {
        blurred = true;
        wasDown = true;
        state = state == State.UP ? State.EITHER : state;
    }

    /** A token is spent; false if none was left of a budget. */
    boolean spend(final int bucket, final int budget) {
        return out.merge(bucket, 1, Integer::sum) <= budget || blurred;
    }

    /** A token has come back. */
    void takeBack(final int bucket) {
        out.computeIfPresent(bucket, (of, count) -> count > 1 ? count - 1 : null);
    }

    /** A cell has come that owes a token. */
    void owe(final int bucket) {
        owed.merge(bucket, 1, Integer::sum);
    }

    /** A token goes back; false if none is owed. */
    boolean giveBack(final int bucket) {
        final boolean isOwed = owed.containsKey(bucket) || blurred;
        owed.computeIfPresent(bucket, (of, count) -> count > 1 ? count - 1 : null);
        return isOwed;
    }
}
