package dev.skerry.tools.input;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.worker.Idle;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** Options whose values are the constants of an enum, typed in lower case. */
public final class Choices {
    private Choices() {
    }

    /** The packings of Stardust, for help. */
    public static final class Packings implements Iterable<String> {
        /** For picocli. */
        public Packings() {
        }

        @Override
        public Iterator<String> iterator() {
            return names(Packing.values()).iterator();
        }
    }

    /** What threads do while they wait, for help. */
    public static final class Idles implements Iterable<String> {
        /** For picocli. */
        public Idles() {
        }

        @Override
        public Iterator<String> iterator() {
            return names(Idle.values()).iterator();
        }
    }

    /**
     * The constant that was typed.
     *
     * @param typed  what was given for the option; null for the usual one.
     * @param values all there are.
     * @throws InputException if it is none of them.
     */
    public static <E extends Enum<E>> E of(final String option, final String typed, final E usual, final E[] values) {
        if (typed == null) {
            return usual;
        }
        final List<String> names = names(values);
        final int found = names.indexOf(typed);
        if (found < 0) {
            final int last = names.size() - 1;
            throw new InputException(option, typed, "there is no such choice",
                "use " + String.join(", ", names.subList(0, last)) + " or " + names.get(last));
        }
        return values[found];
    }

    private static List<String> names(final Enum<?>[] values) {
        return Arrays.stream(values).map(value -> value.name().toLowerCase(Locale.ROOT)).toList();
    }
}
