package dev.skerry.tools.run.shale;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.FailureNotices;
import dev.skerry.nic.shale.Route;
import dev.skerry.schedule.Phased;
import dev.skerry.spi.LinkWords;

import java.util.List;
import java.util.Set;

/**
 * Layout of the words of Shale: sprays, and two tokens or failure notices in their places (docs/spec/shale.md §3).
 *
 * @param schedule schedule of all slots; null if several schedules share them.
 * @param phases   phases of the schedule with the most phases.
 */
public record ShaleWords(Phased schedule, int phases) implements LinkWords {
    /** Value of the dummy column for a probe. */
    private static final int MESSAGE = 3;
    private static final List<Field> FIELDS = List.of(new Field("route", "sent_slot", 41, 23),
        new Field("route", "destination", 3, 20), new Field("route", "sprays", 0, 3), new Field("cell", "flow", 32, 32),
        new Field("cell", "sequence", 0, 32), new Field("feedback", "token2_kind", 55, 2),
        new Field("feedback", "token2_destination", 35, 20), new Field("feedback", "token2_sprays", 32, 3),
        new Field("feedback", "token1_kind", 23, 2), new Field("feedback", "token1_destination", 3, 20),
        new Field("feedback", "token1_sprays", 0, 3));

    @Override
    public List<Field> fields() {
        return FIELDS;
    }

    @Override
    public String columns() {
        return schedule == null ? null
            : "dst_mac,src,dst,seq,sprays,tok1_kind,tok1_dst,tok1_n,tok2_kind,tok2_dst,tok2_n,dummy";
    }

    @Override
    public String line(final NodeCells cells, final int channel, final int receiver, final String ends) {
        final long feedback = cells.feedback(channel);
        return receiver + "," + ends + "," + (cells.isCell(channel) ? Route.sprays(cells.route(channel)) : 0) + ","
            + column((int) feedback) + "," + column((int) (feedback >>> Integer.SIZE)) + ","
            + (cells.isCell(channel) ? 0 : cells.route(channel) == InFlightCells.CONTROL ? MESSAGE : 1);
    }

    /** Returns the columns kind, destination and number of sprays; a failure notice has a kind of its own. */
    private static String column(final int half) {
        final int token = token(half);
        return token == ShaleToken.NONE ? "1,-1,-1"
            : ShaleToken.kind(token) + "," + ShaleToken.destination(token) + "," + ShaleToken.index(token);
    }

    private static int token(final int half) {
        return half == (int) InFlightCells.NO_FEEDBACK ? ShaleToken.NONE : FailureNotices.isToken(half)
            ? ShaleToken.of(Route.bucketDestination(half), Route.sprays(half)) : half;
    }

    @Override
    public boolean takesFaults() {
        return true;
    }

    @Override
    public Set<String> readColumns() {
        return Set.of("sprays", "tok1_dst", "tok1_n", "tok2_dst", "tok2_n");
    }

    @Override
    public long route(final DescribedCell cell) {
        return Route.first(cell.destination(), cell.sprays(), 0);
    }

    @Override
    public long feedback(final DescribedCell cell, final int report) {
        return bucket(cell.token1()) & 0xFFFF_FFFFL | (long) bucket(cell.token2()) << Integer.SIZE;
    }

    /** Returns the bucket of a token, or -1 for none. A failure notice, which has no bucket, is returned unchanged. */
    private static int bucket(final int token) {
        if (token == ShaleToken.NONE) {
            return -1;
        }
        return ShaleToken.kind(token) == ShaleToken.KIND_TOKEN
            ? Route.bucket(ShaleToken.destination(token), ShaleToken.index(token)) : token;
    }

    @Override
    public DescribedCell described(final DescribedCell plain, final long sentIn, final long route,
        final long feedback) {
        final int phase = schedule == null ? DescribedCell.UNKNOWN
            : schedule.slotInEpoch(sentIn) / schedule.linksPerPhase();
        return of(plain, plain.state() == SlotState.CELL ? Route.sprays(route) : 0, phase, token((int) feedback),
            token((int) (feedback >>> Integer.SIZE)));
    }

    @Override
    public DescribedCell largest(final DescribedCell plain, final boolean guards) {
        final int token = ShaleToken.of(guards ? ShaleToken.KIND_REVALIDATION : ShaleToken.KIND_TOKEN,
            plain.destination(), phases - 1);
        return of(plain, phases - 1, phases - 1, token, token);
    }

    private static DescribedCell of(final DescribedCell plain, final int sprays, final int phase, final int first,
        final int second) {
        return new DescribedCell(plain.state(), plain.source(), plain.destination(), plain.sequence(), sprays, phase,
            plain.sourceMac(), plain.destinationMac(), first, second);
    }
}
