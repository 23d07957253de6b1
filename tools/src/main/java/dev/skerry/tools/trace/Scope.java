package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Signals of one node, switch or PIEO. They change at the same time, so their values at one time are a vector.
 *
 * @param name    an identifier of SystemVerilog.
 * @param signals signals in the order of the vector; their identifiers are distinct.
 */
public record Scope(String name, List<Signal> signals) {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Checks names and widths. */
    public Scope {
        signals = List.copyOf(signals);
        check(name, 1);
        final Set<String> names = new HashSet<>();
        for (final Signal signal : signals) {
            check(signal.name(), signal.bits());
            if (!names.add(signal.name())) {
                throw new IllegalArgumentException("two signals of one name: scope=" + name + " name=" + signal.name());
            }
        }
        if (signals.isEmpty()) {
            throw new IllegalArgumentException("a scope has a signal: scope=" + name);
        }
    }

    private static void check(final String name, final int bits) {
        if (!IDENTIFIER.matcher(name).matches() || bits < 1 || bits > Long.SIZE) {
            throw new IllegalArgumentException("not a signal: name=" + name + " bits=" + bits);
        }
    }

    /** Width of a vector in bits. */
    public int bits() {
        return signals.stream().mapToInt(Signal::bits).sum();
    }

    /** Mask of the low {@code bits} bits. */
    static long mask(final int bits) {
        return -1L >>> Long.SIZE - bits;
    }

    /** Widths of the signals in bits, in order. */
    int[] widths() {
        return signals.stream().mapToInt(Signal::bits).toArray();
    }
}
