package dev.skerry.tools.live;

import dev.skerry.nic.edge.EdgeConfig;
import dev.skerry.nic.edge.PacketClasses;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** What happens to packets where more come than can go. One thread. */
final class QueueOptions {
    private static final Pattern TIME = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(us|ms|s)");
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_S = 1e9;
    private static final long MOST_NS = 3_600_000_000_000L;

    @Option(names = "--queue-target", paramLabel = "TIME", defaultValue = "1ms",
        description = "How long packets should take at most where more come than can go, for example 500us: a "
            + "destination has as many cells of a port as the fabric carries in this time. off: as many as "
            + "--buffer-cells allow (default: ${DEFAULT-VALUE}).")
    String target;

    @Option(names = "--ecn", description = "Mark IP packets whose hosts understand it (ECN) when they have taken "
        + "longer than --queue-target.")
    boolean isMarking;

    @Mixin
    ClassOptions classes = new ClassOptions();

    /** Creates options for picocli, which then sets them. */
    QueueOptions() {
    }

    /** The same sizes and limits with these choices. */
    EdgeConfig over(final EdgeConfig config) {
        final long ns = targetNs();
        if (isMarking && ns == 0) {
            throw new InputException("--ecn", "on", "--queue-target is off: nothing says which packets to mark",
                "give a target or leave --ecn out");
        }
        return new EdgeConfig(config.format(), config.bufferCells(), config.stallNs(), config.slotsPerSecond(),
            config.whenFull(), ns, isMarking, classes.classes());
    }

    /** Number of traffic classes. */
    int classes() {
        return classes.classes().count();
    }

    private long targetNs() {
        if (target.equals("off")) {
            return 0;
        }
        final Matcher time = TIME.matcher(target);
        final double ns = !time.matches() ? 0 : Double.parseDouble(time.group(1)) * switch (time.group(2)) {
            case "us" -> NS_PER_US;
            case "ms" -> NS_PER_MS;
            default -> NS_PER_S;
        };
        if (!(ns >= 1 && ns <= MOST_NS)) {
            throw new InputException("--queue-target", target, "must be a time in us, ms or s, above 0, at most 3600s, "
                + "or off",
                "write for example 500us, 1ms or 0.1s");
        }
        return (long) ns;
    }

    /** Which traffic class packets are of, by what they say of themselves. One thread. */
    static final class ClassOptions {
        private static final String OF = "--class-of";
        private static final String MAP = "--class-map";
        private static final Pattern PART = Pattern.compile("(\\d{1,2})(?:-(\\d{1,2}))?:(\\d)");
        private static final int NOT_NAMED = -1;

        @Option(names = OF, paramLabel = "FIELD",
            description =
                "Shoal, Stardust: put packets into traffic classes, the highest of which go first: pcp, by the "
                + "priority of their VLAN tag; dscp, by their IP header. A packet without it is one with 0 in it "
                + "(default: one class).")
        String field;

        @Option(names = MAP, paramLabel = "V-V:C,...",
            description =
                "The class of each value of the field, 0 the highest, 3 at most; those that it does not name are "
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
}
