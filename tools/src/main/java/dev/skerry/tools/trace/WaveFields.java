package dev.skerry.tools.trace;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.spi.LinkWords;
import dev.skerry.spi.LinkWords.Field;
import dev.skerry.tools.trace.VectorSource.Scope;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Fields of the words on links as separate signals after their word: {@code rx0_destination} after {@code rx0_route},
 * {@code rx0_source} and {@code rx0_sequence} after {@code rx0_cell} (docs/words.md). A field is all ones if its word
 * contains no cell or no token. Immutable.
 *
 * @param words fields of the words.
 * @param names sources of cells.
 */
public record WaveFields(LinkWords words, CellNames names) {
    private static final Map<String, String> WORDS = Map.of("_route", "route", "_cell", "cell", "_feedback", "feedback",
        "_tokens", "feedback");
    private static final Field SOURCE = new Field("cell", "source", 0, Integer.SIZE);

    /**
     * A signal of the extended scope.
     *
     * @param from  index of its word.
     * @param route index of the route word of the same link, negative if there is none.
     * @param field null for the word itself.
     */
    private record Part(Signal signal, int from, int route, Field field) {
    }

    /** A scope in which the fields follow their words. */
    final class Extended {
        private final List<Part> parts = new ArrayList<>();
        private final String name;

        Extended(final Scope scope) {
            name = scope.name();
            final List<String> all = scope.signals().stream().map(Signal::name).toList();
            for (int i = 0; i < all.size(); i++) {
                parts.add(new Part(scope.signals().get(i), i, -1, null));
                final int end = Math.max(all.get(i).lastIndexOf('_'), 0);
                final String link = all.get(i).substring(0, end);
                final String word = WORDS.get(all.get(i).substring(end));
                final int route = "feedback".equals(word) ? -1 : all.indexOf(link + "_route");
                for (final Field field : word == null ? List.<Field>of() : fields(word)) {
                    parts.add(new Part(new Signal(link + "_" + field.name(), field.bits()), i, route, field));
                }
            }
        }

        Scope scope() {
            return new Scope(name, parts.stream().map(Part::signal).toList());
        }

        long[] values(final long[] given) {
            final long[] all = new long[parts.size()];
            for (int i = 0; i < all.length; i++) {
                final Part part = parts.get(i);
                all[i] = part.field == null ? given[part.from]
                    : part.route >= 0 && !InFlightCells.isCell(given[part.route]) ? -1
                    : part.field == SOURCE ? names.exists(given[part.from]) ? names.source(given[part.from]) : -1
                    : part.field.of(given[part.from]);
            }
            return all;
        }
    }

    private List<Field> fields(final String word) {
        final List<Field> fields = new ArrayList<>(words.fields().stream().filter(field -> field.word().equals(word))
            .toList());
        if (word.equals("cell") && words.fields().stream().noneMatch(field -> field.name().equals(SOURCE.name()))) {
            fields.addFirst(SOURCE);
        }
        return fields;
    }
}
