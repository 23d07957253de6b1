package dev.skerry.tools.stat;

/**
 * How Prometheus gets a counter of a file. Immutable.
 *
 * @param name    name of the metric, as Prometheus's rules want it: base units, and {@code _total} for what only grows.
 * @param kind    its type.
 * @param help    one sentence.
 * @param keys    keys of the metric besides those of the counter, for example {@code reason="too_long"}; or empty.
 * @param divisor what the value in the file is divided by to get the metric's unit.
 */
record Metric(String name, Kind kind, String help, String keys, double divisor) {
    /** Types of metrics. {@link #STATE} is a gauge for each state, 1 for the present one. */
    enum Kind {
        COUNTER, GAUGE, HISTOGRAM, STATE
    }

    static Metric counter(final String name, final String help, final String keys) {
        return new Metric(name, Kind.COUNTER, help, keys, 1);
    }

    static Metric gauge(final String name, final String help, final double divisor) {
        return new Metric(name, Kind.GAUGE, help, "", divisor);
    }
}
