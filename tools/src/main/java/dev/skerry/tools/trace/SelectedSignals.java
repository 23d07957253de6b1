package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The signals of a source whose names match a pattern. Omits scopes without such a signal. */
public final class SelectedSignals implements VectorSource {
    private final VectorSource all;
    private final List<Scope> scopes = new ArrayList<>();
    private final List<int[]> places = new ArrayList<>();
    private final List<Integer> origin = new ArrayList<>();
    private final long[][] values;

    /**
     * Creates a selection.
     *
     * @param all     source of the values; {@link #close} closes it.
     * @param pattern has to match the whole of {@code scope.signal} or {@code signal}.
     */
    public SelectedSignals(final VectorSource all, final Pattern pattern) {
        this.all = all;
        this.values = new long[all.scopes().size()][];
        for (int i = 0; i < values.length; i++) {
            final Scope scope = all.scopes().get(i);
            values[i] = new long[scope.signals().size()];
            final List<Signal> kept = new ArrayList<>();
            final List<Integer> at = new ArrayList<>();
            for (int s = 0; s < scope.signals().size(); s++) {
                final String name = scope.signals().get(s).name();
                if (pattern.matcher(name).matches() || pattern.matcher(scope.name() + "." + name).matches()) {
                    kept.add(scope.signals().get(s));
                    at.add(s);
                }
            }
            if (!kept.isEmpty()) {
                scopes.add(new Scope(scope.name(), kept));
                places.add(at.stream().mapToInt(Integer::intValue).toArray());
                origin.add(i);
            }
        }
    }

    /** Compiles a pattern of the command line: names separated by commas, with {@code *} for any characters. */
    public static Pattern pattern(final String names) {
        final StringBuilder text = new StringBuilder();
        for (final String name : names.split(",")) {
            text.append(text.isEmpty() ? "" : "|").append(Pattern.quote(name.strip()).replace("*", "\\E.*\\Q"));
        }
        return Pattern.compile(text.toString());
    }

    @Override
    public List<Scope> scopes() {
        return scopes;
    }

    @Override
    public boolean next() {
        return all.next();
    }

    @Override
    public long time() {
        return all.time();
    }

    @Override
    public long unitPs() {
        return all.unitPs();
    }

    @Override
    public void read(final int scope, final long[] into) {
        final int from = origin.get(scope);
        all.read(from, values[from]);
        final int[] place = places.get(scope);
        for (int i = 0; i < place.length; i++) {
            into[i] = values[from][place[i]];
        }
    }

    @Override
    public void close() {
        all.close();
    }
}
