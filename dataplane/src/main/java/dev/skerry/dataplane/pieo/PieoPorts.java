package dev.skerry.dataplane.pieo;

/**
 * The ports of a PIEO that carry an element: checks of inputs, and the element extracted last. A port that carries no
 * value reads as all ones. One thread.
 */
abstract sealed class PieoPorts permits Pieo, PieoTournament {
    final PieoLayout layout;
    private final int maxId;
    private final long noRank;
    private final long noTime;

    private int id;
    private long rank;
    private long sendTime;

    PieoPorts(final PieoLayout layout) {
        this.layout = layout;
        this.maxId = layout.nullId();
        this.noRank = layout.noRank();
        this.noTime = layout.noTime();
        clear();
    }

    /** The id of the element just extracted; all ones if the last operation extracted no element. */
    public final int id() {
        return id;
    }

    /** The rank of the element just extracted; all ones if the last operation extracted no element. */
    public final long rank() {
        return rank;
    }

    /** The send time of the element just extracted; all ones if the last operation extracted no element. */
    public final long sendTime() {
        return sendTime;
    }

    /** The dimensions. */
    public final PieoLayout layout() {
        return layout;
    }

    final void clear() {
        id = maxId;
        rank = noRank;
        sendTime = noTime;
    }

    final void show(final int ofId, final long ofRank, final long ofSendTime) {
        id = ofId;
        rank = ofRank;
        sendTime = ofSendTime;
    }

    final boolean holdsId(final int f) {
        return f >= 0 && f <= maxId;
    }

    final boolean holdsTime(final long time) {
        return time >= 0 && time < noTime;
    }

    /** {@link Pieo#DONE} if an element fits the ports, else the refusal. */
    final int admit(final int f, final long ofRank, final long sendsAt) {
        if (!holdsId(f)) {
            return Pieo.BAD_ID;
        }
        if (ofRank < 0 || ofRank >= noRank) {
            return Pieo.BAD_RANK;
        }
        return holdsTime(sendsAt) ? Pieo.DONE : Pieo.BAD_TIME;
    }
}
