package dev.skerry.tools.figure.shale;

import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;

import java.util.Map;
import java.util.function.Function;

/**
 * Rules about mechanisms beside each other. A rule about a mechanism that was not measured is left out. One thread.
 *
 * @param found takes the rules.
 * @param all   what was measured.
 */
record MechanismRules<T>(Findings found, Map<PaperMechanism, T> all) {
    /** A value of a mechanism, or null if it was not measured. */
    Sample of(final PaperMechanism mechanism, final Function<T, Sample> value) {
        return all.containsKey(mechanism) ? value.apply(all.get(mechanism)) : null;
    }

    /** The least value of the others, by its mean, or null if one of them was not measured. */
    Sample leastBut(final PaperMechanism mechanism, final Function<T, Sample> value) {
        Sample least = null;
        for (final PaperMechanism other : PaperMechanism.EIGHT) {
            if (!all.containsKey(other)) {
                return null;
            }
            final Sample its = value.apply(all.get(other));
            if (other != mechanism && (least == null || its.mean() < least.mean())) {
                least = its;
            }
        }
        return least;
    }

    /** A value of a mechanism over that of another, seed by seed, or null if one of them was not measured. */
    Sample over(final PaperMechanism mechanism, final PaperMechanism other, final Function<T, Sample> value) {
        return ratio(of(mechanism, value), of(other, value));
    }

    /** A value over another, or null if one is not there. */
    static Sample ratio(final Sample of, final Sample over) {
        return of == null || over == null ? null : of.over(over);
    }

    /** A value is at most a bound, if it is there. */
    void atMost(final String what, final String expected, final double bound, final Sample value) {
        if (value != null) {
            found.atMost(what, expected, bound, value);
        }
    }

    /** A value is at least a bound, if it is there. */
    void atLeast(final String what, final String expected, final double bound, final Sample value) {
        if (value != null) {
            found.atLeast(what, expected, bound, value);
        }
    }

    /** A value that nothing says what to accept of, if it is there. */
    void reported(final String what, final String expected, final Sample value) {
        if (value != null) {
            found.reported(what, expected, value);
        }
    }
}
