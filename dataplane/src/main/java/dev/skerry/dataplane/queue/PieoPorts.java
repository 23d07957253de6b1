package dev.skerry.dataplane.queue;

/**
 * The ports of a PIEO that carry an element: what may come in, and the element extracted last. A port that carries
 * nothing reads all ones of its width. One thread.
 */
final class PieoPorts {
    final int maxId;
    final long noRank;
    final long noTime;

    int id;
    long rank;
    long sendTime;

    PieoPorts(final PieoLayout layout) {
        this.maxId = layout.nullId();
        this.noRank = layout.noRank();
        this.noTime = layout.noTime();
        clear();
    }

    void clear() {
        id = maxId;
        rank = noRank;
        sendTime = noTime;
    }

    void show(final int ofId, final long ofRank, final long ofSendTime) {
        id = ofId;
        rank = ofRank;
        sendTime = ofSendTime;
    }

    boolean holdsId(final int f) {
        return f >= 0 && f <= maxId;
    }

    boolean holdsTime(final long time) {
        return time >= 0 && time < noTime;
    }

    /** {@link Pieo#DONE} if an element fits the ports, else the refusal. */
    int admit(final int f, final long ofRank, final long sendsAt) {
        if (!holdsId(f)) {
            return Pieo.BAD_ID;
        }
        if (ofRank < 0 || ofRank >= noRank) {
            return Pieo.BAD_RANK;
        }
        return holdsTime(sendsAt) ? Pieo.DONE : Pieo.BAD_TIME;
    }
}
