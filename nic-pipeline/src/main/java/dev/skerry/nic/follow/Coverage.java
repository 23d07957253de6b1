package dev.skerry.nic.follow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Functional coverage: how often each interesting case of a device occurred. A case is a bin of a point, such as {@code
 * head} of {@code order.left}; the first part of a point's name is the law or choice that it exercises. Not
 * thread-safe.
 */
public final class Coverage {
    private final String kind;
    private final Map<String, Point> points = new LinkedHashMap<>();

    /**
     * Creates coverage without points.
     *
     * @param kind kind of device, such as {@code shale-node}; coverage of the same kind can be merged.
     */
    public Coverage(final String kind) {
        this.kind = kind;
    }

    /** Kind of device. */
    public String kind() {
        return kind;
    }

    /** The points, in the order in which they were added. */
    public Collection<Point> points() {
        return points.values();
    }

    /** Returns the point with a name. Creates it if necessary, and adds the bins that it does not have. */
    public Point point(final String name, final String... bins) {
        final Point point = points.computeIfAbsent(name, Point::new);
        Arrays.stream(bins).forEach(point::indexOf);
        return point;
    }

    /** Adds the counts of another run. */
    public void add(final Coverage other) {
        for (final Point from : other.points()) {
            final Point to = point(from.name);
            for (int bin = 0; bin < from.bins.size(); bin++) {
                to.add(from.bins.get(bin), from.hits[bin]);
            }
        }
    }

    /** Returns the counts of all bins, point by point. */
    public long[] counts() {
        return points().stream().flatMapToLong(point -> Arrays.stream(point.hits, 0, point.bins.size())).toArray();
    }

    /** A point with its bins. */
    public static final class Point {
        private final String name;
        private final List<String> bins = new ArrayList<>();
        private long[] hits = new long[8];

        private Point(final String name) {
            this.name = name;
        }

        /** Its name. */
        public String name() {
            return name;
        }

        /** Names of the bins. */
        public List<String> bins() {
            return bins;
        }

        /** Number of times that the case of a bin occurred. */
        public long hits(final int bin) {
            return hits[bin];
        }

        private int indexOf(final String bin) {
            final int at = bins.indexOf(bin);
            if (at >= 0) {
                return at;
            }
            bins.add(bin);
            if (hits.length < bins.size()) {
                hits = Arrays.copyOf(hits, 2 * hits.length);
            }
            return bins.size() - 1;
        }

        /** Counts an occurrence of the case of a bin. */
        public void hit(final int bin) {
            hits[bin]++;
        }

        /** Counts an occurrence of the case of a named bin if a condition is met. */
        public void count(final String bin, final boolean met) {
            if (met) {
                add(bin, 1);
            }
        }

        /** Adds to the count of a named bin, which is created if necessary. */
        public void add(final String bin, final long times) {
            final int at = indexOf(bin);
            hits[at] += times;
        }

        @Override
        public String toString() {
            final StringJoiner text = new StringJoiner(", ");
            for (int bin = 0; bin < bins.size(); bin++) {
                text.add(bins.get(bin) + " " + hits[bin]);
            }
            return text.toString();
        }
    }
}
