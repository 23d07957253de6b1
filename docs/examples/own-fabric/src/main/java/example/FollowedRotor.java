package example;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.schedule.Phased;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.score.FollowedKind;

import java.util.stream.IntStream;

/** Recorded rotors for {@code skerry score}: a node sends a cell to its destination and to nobody else. */
public final class FollowedRotor implements FollowedKind {
    @Override
    public String name() {
        return "rotor";
    }

    @Override
    public LinkWords words() {
        return LinkWords.PLAIN;
    }

    @Override
    public FabricFollower follower(final Recording of, final FindingLog log) {
        return new RotorFollower(new Rotor(new Phased(1, of.nodes()), of.propagationSlots(), Integer.MAX_VALUE),
            of.names(), log);
    }

    private static final class RotorFollower extends FabricFollower {
        private final Rotor rotor;

        RotorFollower(final Rotor rotor, final CellNames names, final FindingLog log) {
            super(rotor, names, log, route -> route, IntStream.range(0, rotor.nodes())
                .mapToObj(node -> new RotorNode(rotor, names, node, log)).toList());
            this.rotor = rotor;
        }

        @Override
        public int link(final int node, final int channel, final long at) {
            return rotor.schedule().slotInEpoch(at);
        }

        @Override
        public String text(final NodeCells cells, final int channel) {
            return names.text(cells.route(channel), cells.cell(channel));
        }
    }

    private static final class RotorNode implements Follower {
        private final Rotor rotor;
        private final CellNames names;
        private final int node;
        private final FindingLog log;
        private long slot;

        RotorNode(final Rotor rotor, final CellNames names, final int node, final FindingLog log) {
            this.rotor = rotor;
            this.names = names;
            this.node = node;
            this.log = log;
        }

        @Override
        public void send(final long now, final NodeCells observed) {
            slot = now;
            final int peer = rotor.schedule().peerOf(node, now);
            if (observed.isCell(0) && names.destination(observed.cell(0)) != peer) {
                refuse(0, Law.ROUTE, "a cell to node " + peer, names.text(observed.cell(0)));
            }
        }

        @Override
        public void receive(final NodeCells received, final int joined) {
            slot++;
        }

        @Override
        public void refuse(final int channel, final Law law, final String expected, final String seen) {
            log.add(new Finding(law, slot, node, rotor.schedule().slotInEpoch(slot), null, expected, seen));
        }

        @Override
        public long slot() {
            return slot;
        }

        @Override
        public int held() {
            return 0;
        }
    }
}
