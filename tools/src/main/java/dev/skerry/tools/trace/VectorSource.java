package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** A source of vectors in ascending order of time. Not thread-safe. */
public interface VectorSource extends AutoCloseable {
    /** Returns the scopes of the vectors. */
    List<Scope> scopes();

    /** Moves to the first or next time. Returns false at the end. */
    boolean next();

    /** Returns the current time, a slot or a clock cycle, which ascends. */
    long time();

    /** Returns the length of a unit of time in ps. */
    long unitPs();

    /** Returns the fields of the words on links among the signals, null if there are none. */
    default WaveFields fields() {
        return null;
    }

    /**
     * Reads the vector of a scope at this time.
     *
     * @param scope  index into {@link #scopes()}.
     * @param values receives one value per signal; bits above its width are undefined.
     */
    void read(int scope, long[] values);

    @Override
    void close();

    /**
     * Signals of one node, switch or PIEO. They change at the same time, so their values at one time are a vector.
     *
     * @param name    an identifier of SystemVerilog.
     * @param signals signals in the order of the vector; their identifiers are distinct.
     */
    record Scope(String name, List<Signal> signals) {
        private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

        /** Checks names and widths. */
        public Scope {
            signals = List.copyOf(signals);
            check(name, 1);
            final Set<String> names = new HashSet<>();
            for (final Signal signal : signals) {
                check(signal.name(), signal.bits());
                if (!names.add(signal.name())) {
                    throw new IllegalArgumentException("two signals of one name: scope=" + name + " name="
                        + signal.name());
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

        /** Returns the width of a vector in bits. */
        public int bits() {
            return signals.stream().mapToInt(Signal::bits).sum();
        }

        /** Returns a mask of the low {@code bits} bits. */
        static long mask(final int bits) {
            return -1L >>> Long.SIZE - bits;
        }

        /** Returns the widths of the signals in bits, in order. */
        int[] widths() {
            return signals.stream().mapToInt(Signal::bits).toArray();
        }
    }

    /**
     * Range of traced slots or operations.
     *
     * @param first     first one.
     * @param end       one past the last.
     * @param untilDone whether the range also ends when every flow is complete.
     */
    record SlotRange(long first, long end, boolean untilDone) {
        /** Refuses an empty or backward range. */
        public SlotRange {
            if (first < 0 || end <= first) {
                throw new IllegalArgumentException("not a range: first=" + first + " end=" + end);
            }
        }

        /**
         * Parses a range of the command line.
         *
         * @param typed FROM:TO, null for all.
         * @param most end of the run.
         * @throws InputException if it is not a range within the run.
         */
        public static SlotRange of(final String typed, final long most, final boolean untilDone) {
            if (typed == null) {
                return new SlotRange(0, most, untilDone);
            }
            final SlotRange asked;
            try {
                final String[] ends = typed.split(":");
                asked = new SlotRange(Long.parseLong(ends[0]), Long.parseLong(ends.length == 2 ? ends[1] : ""),
                    untilDone);
            } catch (final IllegalArgumentException e) {
                throw new InputException("--range", typed, "is not a range",
                    "give the first and one past the last, such as "
                    + "1000:2000");
            }
            Choices.refuseIf(asked.end() > most, "--range", typed, "the run ends at " + most, "give --slots "
                + asked.end());
            return asked;
        }

        /**
         * Runs a fabric to the next slot of the range.
         *
         * @param step runs a slot of the fabric.
         * @return false at the end of the range.
         */
        boolean advance(final FabricModel model, final FlowSet flows, final Runnable step) {
            do {
                if (model.slot() == end || untilDone && model.isDone(flows)) {
                    return false;
                }
                step.run();
            }
            while (model.slot() <= first);
            return true;
        }
    }

    /** Selection of the signals of a source by name; scopes without a selected signal are left out. Not thread-safe. */
    final class Selection {
        /** Source of the values. */
        final VectorSource source;
        private final List<Scope> scopes = new ArrayList<>();
        private final List<int[]> places = new ArrayList<>();
        private final List<Integer> origin = new ArrayList<>();
        private final long[][] values;

        /**
         * Creates a selection.
         *
         * @param names names as for {@link #pattern}, matched against the whole of {@code scope.signal} or
         *              {@code signal}; null for all.
         */
        public Selection(final VectorSource source, final String names) {
            this.source = source;
            this.values = new long[source.scopes().size()][];
            final Pattern pattern = pattern(names == null ? "*" : names);
            for (int i = 0; i < values.length; i++) {
                final Scope scope = source.scopes().get(i);
                values[i] = new long[scope.signals().size()];
                final int[] at = IntStream.range(0, values[i].length)
                    .filter(signal -> matches(pattern, scope.name(), scope.signals().get(signal))).toArray();
                if (at.length > 0) {
                    scopes.add(new Scope(scope.name(), Arrays.stream(at).mapToObj(scope.signals()::get).toList()));
                    places.add(at);
                    origin.add(i);
                }
            }
        }

        /** Compiles a pattern of the command line: names separated by commas, with {@code *} for any characters. */
        static Pattern pattern(final String names) {
            final StringBuilder text = new StringBuilder();
            for (final String name : names.split(",")) {
                text.append(text.isEmpty() ? "" : "|").append(Pattern.quote(name.strip()).replace("*", "\\E.*\\Q"));
            }
            return Pattern.compile(text.toString());
        }

        /** Tells whether a pattern matches a signal. */
        static boolean matches(final Pattern pattern, final String scope, final Signal signal) {
            return pattern.matcher(signal.name()).matches() || pattern.matcher(scope + "." + signal.name()).matches();
        }

        /** Returns the scopes with their selected signals. */
        public List<Scope> scopes() {
            return scopes;
        }

        /** Reads the vector of a scope at the time of the source. */
        void read(final int scope, final long[] into) {
            final int from = origin.get(scope);
            source.read(from, values[from]);
            final int[] place = places.get(scope);
            for (int i = 0; i < place.length; i++) {
                into[i] = values[from][place[i]];
            }
        }
    }
}
