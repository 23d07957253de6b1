package dev.skerry.nic.stardust.host;

import dev.skerry.nic.stardust.fabric.Congestion;

import java.util.Arrays;

/**
 * The window of DCTCP (RFC 8257 §3.3). Once a window of segments the share of marked ones goes into an estimate, alpha;
 * the first echo of a window takes alpha / 2 of it away, and no other echo does until all that was under way then is
 * acknowledged. An acknowledgement with an echo lets no window grow (RFC 3168 §6.1.2). One thread.
 *
 * <pre>
 *   of a flow    alpha in 1/2^20, 1 at first | segments acknowledged | of them marked |
 *                segment that ends the window observed | segment up to which it was cut
 * </pre>
 */
final class DctcpWindow implements WindowRule {
    /** Alpha of 1. */
    private static final int ONE = 1 << 20;

    private static final int WORDS = 5;
    private static final int ACKED = 1;
    private static final int MARKED = 2;
    private static final int END = 3;
    private static final int CUT = 4;

    private final int gainBits;
    private final int[] flows;

    DctcpWindow(final Congestion.Dctcp rules, final int flows) {
        this.gainBits = rules.gainBits();
        this.flows = new int[flows * WORDS];
        for (int flow = 0; flow < flows; flow++) {
            this.flows[flow * WORDS] = ONE;
        }
    }

    @Override
    public double markedShare(final int flow) {
        return (double) flows[flow * WORDS] / ONE;
    }

    @Override
    public int growth(final int flow, final int window, final int threshold) {
        return NEW_RENO.growth(flow, window, threshold);
    }

    @Override
    public int onAck(final int flow, final int una, final int newly, final int next, final boolean echo) {
        final int at = flow * WORDS;
        flows[at + ACKED] += newly;
        flows[at + MARKED] += echo ? newly : 0;
        if (una > flows[at + END]) {
            final int share = (int) (((long) flows[at + MARKED] << 20) / Math.max(1, flows[at + ACKED]));
            flows[at] += (share >> gainBits) - (flows[at] >> gainBits);
            flows[at + END] = next;
            Arrays.fill(flows, at + ACKED, at + MARKED + 1, 0);
        }
        if (!echo || una <= flows[at + CUT]) {
            return 0;
        }
        flows[at + CUT] = next;
        return flows[at] >> 5;
    }
}
