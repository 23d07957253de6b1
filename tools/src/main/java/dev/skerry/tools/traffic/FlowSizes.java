package dev.skerry.tools.traffic;

import dev.skerry.dataplane.check.Bounds;

/** A distribution of flow sizes. Immutable; any thread may call. */
public interface FlowSizes {
    /**
     * The size at a quantile, by inversion of the table: monotone.
     *
     * @param uniform in {@code [0, 1]}.
     * @return bytes.
     */
    long bytes(double uniform);

    /**
     * The mean size in cells, over every size there is: the last cell of a flow counts whole.
     *
     * @param payloadBytes payload bytes of a cell, at least 1.
     */
    double meanCells(int payloadBytes);

    /**
     * The flow sizes of the papers' workloads: cumulative tables in packets of {@value #PACKET_BYTES} bytes, linear
     * between their points and rounded up to whole packets, with all the mass below the first point at it
     * (docs/spec/shale.md §10.2). So the sizes between two points {@code a} and {@code b} are {@code a + 1} to {@code
     * b}, equally likely. Immutable; any thread may call.
     */
    enum SizeDistribution implements FlowSizes {
        /**
         * Short flows: a data centre of IMC 2010, {@code CDF_aditya} of the pHost simulator. Mean 195,722 B, maximum
         * 3.08 MB.
         */
        SHORT(
            new int[] {1, 2, 3, 5, 7, 40, 72, 137, 267, 1187, 2107},
            new double[] {.5, .6, .7, .75, .8, .8125, .825, .85, .9, .95, 1}),

        /**
         * Heavy tail: data mining, VL2, {@code CDF_datamining} of pFabric and pHost. Mean 7,470,601 B, maximum 973 MB.
         */
        HEAVY(
            new int[] {1, 2, 3, 7, 267, 2107, 66_667, 666_667},
            new double[] {.5, .6, .7, .8, .9, .95, .99, 1}),

        /** Web search of DCTCP. Mean 1,666,451 B, maximum 29.2 MB. */
        WEB(
            new int[] {6, 13, 19, 33, 53, 133, 667, 1333, 3333, 6667, 20_000},
            new double[] {.15, .2, .3, .4, .53, .6, .7, .8, .9, .97, 1});

        /** Bytes of a packet of the tables. */
        public static final int PACKET_BYTES = 1460;

        private final int[] packets;
        private final double[] cumulative;

        SizeDistribution(final int[] packets, final double[] cumulative) {
            this.packets = packets;
            this.cumulative = cumulative;
        }

        /**
         * The size at a quantile, by inversion of the table: monotone.
         *
         * @param uniform in {@code [0, 1]}.
         * @return packets.
         */
        public int packets(final double uniform) {
            if (!(uniform >= 0 && uniform <= 1)) {
                throw new IllegalArgumentException("uniform must lie in [0, 1]: uniform=" + uniform);
            }
            int point = 0;
            while (uniform > cumulative[point]) {
                point++;
            }
            if (point == 0) {
                return packets[0];
            }
            final int below = packets[point - 1];
            final int above = packets[point];
            final double share = (uniform - cumulative[point - 1]) / (cumulative[point] - cumulative[point - 1]);
            return below + Math.max(1, (int) Math.ceil(share * (above - below)));
        }

        @Override
        public long bytes(final double uniform) {
            return (long) packets(uniform) * PACKET_BYTES;
        }

        /** The largest size in bytes. */
        public long maxBytes() {
            return (long) packets[packets.length - 1] * PACKET_BYTES;
        }

        /** The mean size in packets, summed over every size there is. */
        public double meanPackets() {
            return meanUnits(PACKET_BYTES);
        }

        /** The mean size in bytes. */
        public double meanBytes() {
            return meanUnits(1);
        }

        @Override
        public double meanCells(final int payloadBytes) {
            Bounds.atLeast("payloadBytes", payloadBytes, 1);
            return meanUnits(payloadBytes);
        }

        private double meanUnits(final int unitBytes) {
            double mean = cumulative[0] * units(packets[0], unitBytes);
            for (int point = 1; point < packets.length; point++) {
                long sum = 0;
                for (int size = packets[point - 1] + 1; size <= packets[point]; size++) {
                    sum += units(size, unitBytes);
                }
                mean += (cumulative[point] - cumulative[point - 1]) * sum / (packets[point] - packets[point - 1]);
            }
            return mean;
        }

        private static long units(final int size, final int unitBytes) {
            return ((long) size * PACKET_BYTES - 1) / unitBytes + 1;
        }
    }
}
