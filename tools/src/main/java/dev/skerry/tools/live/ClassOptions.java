package dev.skerry.tools.live;

import dev.skerry.nic.edge.PacketClasses;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Which traffic class packets are of, by what they say of themselves. One thread. */
final class ClassOptions {
    private static final String OF = "--class-of";
    private static final String MAP = "--class-map";
    private static final Pattern PART = Pattern.compile("(\\d{1,2})(?:-(\\d{1,2}))?:(\\d)");
    private static final int NOT_NAMED = -1;

    @Option(names = OF, paramLabel = "FIELD",
        description = "Shoal, Stardust: put packets into traffic classes, the highest of which go first: pcp, by the "
            + "priority of their VLAN tag; dscp, by their IP header. A packet without it is one with 0 in it (default: "
            + "one class).")
    String field;

    @Option(names = MAP, paramLabel = "V-V:C,...",
        description = "The class of each value of the field, 0 the highest, 3 at most; those that it does not name are "
            + "of the lowest class (default: four classes, 6-7:0,4-5:1,2-3:2,0-1:3 of pcp, and of dscp "
            + "48-63:0,32-47:1,16-31:2,0-15:3).")
    String map;

    /** Creates options for picocli, which then sets them. */
    ClassOptions() {
    }

    /**
     * The classes.
     *
     * @throws InputException if there is no such field, or the map is wrong.
     */
    PacketClasses classes() {
        if (field == null) {
            Choices.refuse(MAP, map, "nothing says which field it is of", "add " + OF + " pcp or dscp");
            return PacketClasses.NONE;
        }
        final PacketClasses.Field of = Choices.of(OF, field.toLowerCase(Locale.ROOT), PacketClasses.Field.PCP,
            PacketClasses.Field.values());
        return new PacketClasses(of, map == null ? IntStream.range(0, of.size()).map(of::usualClass).toArray()
            : mapped(of.size()));
    }

    private int[] mapped(final int values) {
        final int[] classOf = new int[values];
        Arrays.fill(classOf, NOT_NAMED);
        for (final String part : map.split(",", -1)) {
            final Matcher pair = PART.matcher(part.strip());
            if (!pair.matches()) {
                throw wrong("'" + part + "' is no part of a map");
            }
            final int first = Integer.parseInt(pair.group(1));
            final int last = pair.group(2) == null ? first : Integer.parseInt(pair.group(2));
            final int to = Integer.parseInt(pair.group(3));
            if (first > last || last >= values || to >= FlowSet.MAX_CLASSES) {
                throw wrong("'" + part + "' is out of range: values are 0 to " + (values - 1) + ", classes 0 to "
                    + (FlowSet.MAX_CLASSES - 1));
            }
            for (int value = first; value <= last; value++) {
                if (classOf[value] != NOT_NAMED) {
                    throw wrong("value " + value + " stands there twice");
                }
                classOf[value] = to;
            }
        }
        final int lowest = Arrays.stream(classOf).max().orElse(0);
        Arrays.setAll(classOf, value -> classOf[value] == NOT_NAMED ? lowest : classOf[value]);
        if (lowest == 0 || Arrays.stream(classOf).distinct().count() <= lowest) {
            throw wrong(lowest == 0 ? "all packets would be of one class" : "no value is of a class higher than "
                + lowest);
        }
        return classOf;
    }

    private InputException wrong(final String why) {
        return new InputException(MAP, map, why, "write values and classes, for example 4-7:0,0-3:1");
    }
}
