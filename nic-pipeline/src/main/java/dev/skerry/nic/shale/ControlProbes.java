package dev.skerry.nic.shale;

import dev.skerry.nic.fabric.NodeProbes.Signal;

import java.util.List;

/** What a congestion control shows of the inside of one node. Read between slots, on the thread of the bank. */
public interface ControlProbes {
    /** The signals of a mechanism without tokens: the same columns, so that runs can be laid side by side. */
    ControlProbes NO_TOKENS = new ControlProbes() {
        @Override
        public long ofLink(final int link, final int which) {
            return which == 2 ? Admission.NO_NOTICE : 0;
        }

        @Override
        public long active() {
            return 0;
        }
    };

    /** Signals of each link: by default tokens outstanding and owed, and the token that leaves next. */
    default List<Signal> ofLink() {
        return List.of(new Signal("outstanding", 16), new Signal("owed", 16), new Signal("next_token", 32));
    }

    /** The value of a signal of a link. */
    long ofLink(int link, int which);

    /** Active buckets of the node. */
    long active();
}
