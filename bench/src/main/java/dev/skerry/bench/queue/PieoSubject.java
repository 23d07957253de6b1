package dev.skerry.bench.queue;

import dev.skerry.dataplane.queue.Pieo;
import dev.skerry.dataplane.queue.PieoLayout;
import dev.skerry.dataplane.queue.PieoList;
import dev.skerry.dataplane.queue.PieoTournament;

import java.lang.foreign.Arena;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/** A PIEO for the benchmark. Each fork loads one implementation, so the calls stay monomorphic. */
abstract class PieoSubject {
    static final int NONE = -1;

    private static final int RANK_BITS = 17;
    private static final int TIME_BITS = 32;

    static PieoSubject of(final String name, final Arena arena, final int size) {
        final PieoLayout layout = new PieoLayout(size, 16, RANK_BITS, TIME_BITS);
        return switch (name) {
            case "tournament" -> new Tournament(new PieoTournament(arena, layout));
            case "reference" -> new Reference(
                new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT)));
            case "tree-map" -> new Tree();
            case "linear-list" -> new Linear();
            default -> throw new IllegalArgumentException("no such PIEO: pieo=" + name);
        };
    }

    abstract void enqueue(int id, long rank, long sendTime);

    /** The id of the element that leaves, or {@link #NONE}. */
    abstract int dequeue(long now);

    private static final class Tournament extends PieoSubject {
        private final PieoTournament pieo;

        Tournament(final PieoTournament pieo) {
            this.pieo = pieo;
        }

        @Override
        void enqueue(final int id, final long rank, final long sendTime) {
            pieo.enqueue(id, rank, sendTime);
        }

        @Override
        int dequeue(final long now) {
            return pieo.dequeue(now) == Pieo.DONE ? pieo.id() : NONE;
        }
    }

    private static final class Reference extends PieoSubject {
        private final Pieo pieo;

        Reference(final Pieo pieo) {
            this.pieo = pieo;
        }

        @Override
        void enqueue(final int id, final long rank, final long sendTime) {
            pieo.enqueue(id, rank, sendTime);
        }

        @Override
        int dequeue(final long now) {
            return pieo.dequeue(now) == Pieo.DONE ? pieo.id() : NONE;
        }
    }

    private static final class Linear extends PieoSubject {
        private final PieoList list = new PieoList();

        @Override
        void enqueue(final int id, final long rank, final long sendTime) {
            list.enqueue(new PieoList.Element(id, rank, sendTime));
        }

        @Override
        int dequeue(final long now) {
            final PieoList.Element element = list.dequeue(now);
            return element == null ? NONE : element.id();
        }
    }

    /** Ranks and arrivals in one key; the first eligible entry in order. */
    private static final class Tree extends PieoSubject {
        private final TreeMap<Long, PieoList.Element> tree = new TreeMap<>();
        private long arrival;

        @Override
        void enqueue(final int id, final long rank, final long sendTime) {
            tree.put(rank << Long.SIZE - 1 - RANK_BITS | arrival++, new PieoList.Element(id, rank, sendTime));
        }

        @Override
        int dequeue(final long now) {
            final Iterator<Map.Entry<Long, PieoList.Element>> entries = tree.entrySet().iterator();
            while (entries.hasNext()) {
                final PieoList.Element element = entries.next().getValue();
                if (element.sendTime() <= now) {
                    entries.remove();
                    return element.id();
                }
            }
            return NONE;
        }
    }
}
