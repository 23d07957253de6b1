package dev.skerry.tools.ctl;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PortPlace;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An order to a running dataplane. Parsing does not check whether its ports exist. */
public sealed interface Order {
    /** Lists the ports. */
    record Ports() implements Order {
    }

    /**
     * Opens a port.
     *
     * @param text {@code NODE=KIND:...}, as on the command line.
     */
    record Add(String text) implements Order {
    }

    /** Closes a port. */
    record Remove(PortPlace place) implements Order {
    }

    /**
     * Stops the traffic of a port in both directions, and waits for its packets in flight.
     *
     * @param place place of the port.
     * @param seconds maximum wait, s.
     */
    record Drain(PortPlace place, double seconds) implements Order {
    }

    /** Serves a drained port again. */
    record Resume(PortPlace place) implements Order {
    }

    /**
     * Changes the destinations of the packets of ports.
     *
     * @param to for each port, the port that receives all of its packets; {@link #BY_ADDRESS} to forward by MAC
     *     address.
     */
    record Route(Map<PortPlace, PortPlace> to) implements Order {
        /** Value that selects forwarding by address. */
        public static final PortPlace BY_ADDRESS = PortPlace.NONE;
    }

    /**
     * Changes the port of a MAC address.
     *
     * @param mac   the address, with its first byte in bits 47 to 40.
     * @param place place of its port; {@link #FORGET} to remove the address from the tables.
     */
    record Address(long mac, PortPlace place) implements Order {
        /** Value that removes an address, so that it is learned again. */
        public static final PortPlace FORGET = PortPlace.NONE;
    }

    /**
     * Changes the rate of a generator.
     *
     * @param place place of the generator.
     * @param text rate as in the text of a generator, for example {@code 10kpps}.
     */
    record Rate(PortPlace place, String text) implements Order {
    }

    /**
     * Applies a failure or a repair.
     *
     * @param text event in the syntax of a fault script, without the slot.
     */
    record Fail(String text) implements Order {
    }

    /**
     * Captures packets of a port and sends them in the answer.
     *
     * @param place  place of the port.
     * @param in     whether to capture packets that enter the fabric at the port.
     * @param out    whether to capture packets that leave the fabric at the port.
     * @param one    interval of the sample: the first of every {@code one} packets is captured.
     * @param count  maximum number of packets.
     * @param bytes  maximum number of bytes of each packet.
     * @param filter filter for the packets, see {@link dev.skerry.tools.port.PacketFilter}; empty for all packets.
     */
    record Tap(PortPlace place, boolean in, boolean out, int one, long count, int bytes, String filter)
        implements Order {
        /** Maximum value of {@link #bytes}. */
        static final int MOST_BYTES = 9216;
    }

    /** Ends the tap at a port. */
    record Untap(PortPlace place) implements Order {
    }

    /**
     * Reads the counters since the start or the last reset.
     *
     * @param place place of a port; {@link #ALL} for all ports.
     */
    record Counters(PortPlace place) implements Order {
        /** Value that selects all ports. */
        public static final PortPlace ALL = PortPlace.NONE;
    }

    /** Reloads the settings, like SIGHUP. */
    record Reload() implements Order {
    }

    /** Restarts {@link Counters} from 0. The report, {@code stat} and Prometheus are not affected. */
    record Reset() implements Order {
    }

    /** Parses an order from a line. Error messages are one line and quote the order. Not thread-safe. */
    final class OrderText {
        /** Maximum length of a line in characters. */
        static final int MOST = 4096;

        private static final String WHAT = "ctl";
        private static final String FORM = "skerry ctl --help lists the orders";
        private static final double USUAL_DRAIN = 10;
        private static final double MOST_DRAIN = 3600;
        private static final int LEAST_SNAP = 14;
        private static final int SHOWN = 200;

        private final String line;
        private final String[] words;

        private OrderText(final String line) {
            this.line = line;
            this.words = line.strip().split("\\s+");
        }

        /**
         * Parses a line.
         *
         * @throws InputException if it is not an order.
         */
        static Order parse(final String line) {
            return new OrderText(line).order();
        }

        private Order order() {
            return switch (words[0]) {
                case "ports" -> need(new Order.Ports(), 1, "ports");
                case "reload" -> need(new Order.Reload(), 1, "reload");
                case "reset" -> need(new Order.Reset(), 1, "reset");
                case "add" -> {
                    refuseIf(words.length == 1, "it has too few words", "write add NODE=PORT");
                    yield new Order.Add(rest(1));
                }
                case "remove" -> new Order.Remove(place(need(2, "remove NODE")[1]));
                case "drain" -> drain();
                case "resume" -> new Order.Resume(place(need(2, "resume NODE")[1]));
                case "map" -> route();
                case "mac" -> address();
                case "rate" -> new Order.Rate(place(need(3, "rate NODE RATE")[1]), words[2]);
                case "fault" -> {
                    refuseIf(words.length == 1, "it has too few words", "write for example fault node 3 down");
                    yield new Order.Fail(rest(1));
                }
                case "tap" -> tap();
                case "untap" -> new Order.Untap(place(need(2, "untap NODE")[1]));
                case "counters" -> {
                    atMost(2, "counters [NODE]");
                    yield new Order.Counters(words.length == 1 ? Order.Counters.ALL : place(words[1]));
                }
                default -> throw wrong("there is no such order", FORM);
            };
        }

        private Order drain() {
            atMost(3, "drain NODE [SECONDS]");
            refuseIf(words.length < 2, "a node is missing", "write drain NODE [SECONDS]");
            double seconds = USUAL_DRAIN;
            if (words.length == 3) {
                try {
                    seconds = Double.parseDouble(words[2]);
                } catch (final NumberFormatException e) {
                    seconds = Double.NaN;
                }
                refuseIf(!(seconds >= 0 && seconds <= MOST_DRAIN), "'" + words[2]
                    + "' is not a number of seconds from 0 to " + (int) MOST_DRAIN, "write drain NODE [SECONDS]");
            }
            return new Order.Drain(place(words[1]), seconds);
        }

        private Order route() {
            need(2, "map FROM:TO[,FROM:TO...]");
            final String form = "write map FROM:TO or map FROM:address";
            final Map<PortPlace, PortPlace> to = new LinkedHashMap<>();
            for (final String part : words[1].split(",", -1)) {
                final String[] pair = part.split(":", -1);
                refuseIf(pair.length != 2, "'" + part + "' is not a pair of nodes", form);
                final PortPlace from = place(pair[0]);
                final PortPlace target = pair[1].equals("address") ? Order.Route.BY_ADDRESS : place(pair[1]);
                refuseIf(from.equals(target), "node " + from + " cannot send to itself", form);
                refuseIf(to.put(from, target) != null, "node " + from + " is listed twice", form);
            }
            return new Order.Route(to);
        }

        private Order address() {
            need(3, "mac ADDRESS NODE");
            final long mac = PortPlace.mac(words[1]);
            refuseIf(mac < 0, "'" + words[1] + "' is not a MAC address", "write for example mac 02:00:00:00:00:07 3");
            refuseIf(PortPlace.isGroup(mac), words[1] + " is the address of a group", "give the address of one device");
            return new Order.Address(mac, words[2].equals("forget") ? Order.Address.FORGET : place(words[2]));
        }

        private Order tap() {
            final String form = "write tap NODE [in|out] [one=N] [count=N] [bytes=N] [filter=EXPRESSION]";
            refuseIf(words.length < 2, "a node is missing", form);
            boolean in = true;
            boolean out = true;
            int one = 1;
            long count = Long.MAX_VALUE;
            int bytes = Order.Tap.MOST_BYTES;
            int filter = 2;
            while (filter < words.length && !words[filter].startsWith("filter=")) {
                filter++;
            }
            for (int word = 2; word < filter; word++) {
                final String value = words[word].substring(words[word].indexOf('=') + 1);
                switch (words[word].substring(0, words[word].length() - value.length())) {
                    case "one=" -> one = (int) number(value, 1, Integer.MAX_VALUE);
                    case "count=" -> count = number(value, 1, Long.MAX_VALUE);
                    case "bytes=" -> bytes = (int) number(value, LEAST_SNAP, Order.Tap.MOST_BYTES);
                    default -> {
                        refuseIf(!words[word].equals("in") && !words[word].equals("out") || !in || !out,
                            "'" + words[word] + "' is not part of the order", form);
                        in = words[word].equals("in");
                        out = !in;
                    }
                }
            }
            return new Order.Tap(place(words[1]), in, out, one, count, bytes,
                filter == words.length ? "" : rest(filter).substring("filter=".length()));
        }

        /** Returns the words from an index to the end. */
        private String rest(final int first) {
            return String.join(" ", List.of(words).subList(first, words.length));
        }

        private PortPlace place(final String text) {
            final PortPlace place = PortPlace.of(text);
            refuseIf(place.equals(PortPlace.NONE), "'" + text + "' is not a node",
                "give the number of a node, 3, or 3.1 for its second port");
            return place;
        }

        private long number(final String text, final long least, final long most) {
            try {
                final long number = Long.parseLong(text);
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (final NumberFormatException e) {
                // The number is refused below as out of range.
            }
            throw wrong("'" + text + "' is out of range", "give a whole number from " + least + " to " + most);
        }

        private <O extends Order> O need(final O order, final int count, final String form) {
            need(count, form);
            return order;
        }

        private String[] need(final int count, final String form) {
            refuseIf(words.length < count, "it has too few words", "write " + form);
            atMost(count, form);
            return words;
        }

        private void atMost(final int count, final String form) {
            refuseIf(words.length > count, "it has too many words", "write " + form);
        }

        private void refuseIf(final boolean wrong, final String why, final String advice) {
            if (wrong) {
                throw wrong(why, advice);
            }
        }

        private InputException wrong(final String why, final String advice) {
            return new InputException(WHAT, plain(line), plain(why), advice);
        }

        /** Returns the text without control characters, shortened for a message. */
        private static String plain(final String text) {
            final String shown = text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
            return shown.replaceAll("[\\p{Cntrl}\u2028\u2029\u0085]", "?");
        }
    }
}
