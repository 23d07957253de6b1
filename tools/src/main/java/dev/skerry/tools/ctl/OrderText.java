package dev.skerry.tools.ctl;

import dev.skerry.tools.input.InputException;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads an order from a line. Errors are one line and quote the order. One thread. */
final class OrderText {
    /** Longest line, in characters. */
    static final int MOST = 4096;

    private static final String WHAT = "ctl";
    private static final String FORM = "skerry ctl --help lists the orders";
    private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}");
    private static final int HEX = 16;
    private static final long GROUP_BIT = 1L << 40;
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
     * Reads a line.
     *
     * @throws InputException if it is no order.
     */
    static Order parse(final String line) {
        return new OrderText(line).order();
    }

    private Order order() {
        return switch (words[0]) {
            case "ports", "reload", "reset" -> alone();
            case "add" -> {
                need(2, "add NODE=PORT");
                yield new Order.Add(words[1]);
            }
            case "remove" -> {
                need(2, "remove NODE");
                yield new Order.Remove(place(1));
            }
            case "drain" -> drain();
            case "resume" -> {
                need(2, "resume NODE");
                yield new Order.Resume(place(1));
            }
            case "map" -> route();
            case "mac" -> address();
            case "rate" -> {
                need(3, "rate NODE RATE");
                yield new Order.Rate(place(1), words[2]);
            }
            case "fault" -> {
                if (words.length == 1) {
                    throw wrong("it has too few words", "write for example fault node 3 down");
                }
                yield new Order.Fail(String.join(" ", List.of(words).subList(1, words.length)));
            }
            case "tap" -> tap();
            case "untap" -> {
                need(2, "untap NODE");
                yield new Order.Untap(place(1));
            }
            case "counters" -> {
                atMost(2, "counters [NODE]");
                yield new Order.Counters(words.length == 1 ? Order.Counters.ALL : place(1));
            }
            default -> throw wrong("there is no such order", FORM);
        };
    }

    private Order alone() {
        need(1, words[0]);
        return switch (words[0]) {
            case "ports" -> new Order.Ports();
            case "reload" -> new Order.Reload();
            default -> new Order.Reset();
        };
    }

    private Order drain() {
        atMost(3, "drain NODE [SECONDS]");
        if (words.length < 2) {
            throw wrong("a node is missing", "write drain NODE [SECONDS]");
        }
        double seconds = USUAL_DRAIN;
        if (words.length == 3) {
            try {
                seconds = Double.parseDouble(words[2]);
            } catch (final NumberFormatException e) {
                seconds = Double.NaN;
            }
            if (!(seconds >= 0 && seconds <= MOST_DRAIN)) {
                throw wrong("'" + words[2] + "' is no number of seconds from 0 to " + (int) MOST_DRAIN,
                    "write drain NODE [SECONDS]");
            }
        }
        return new Order.Drain(place(1), seconds);
    }

    private Order route() {
        need(2, "map FROM:TO[,FROM:TO...]");
        final Map<PortPlace, PortPlace> to = new LinkedHashMap<>();
        for (final String part : words[1].split(",", -1)) {
            final String[] pair = part.split(":", -1);
            if (pair.length != 2) {
                throw wrong("'" + part + "' is no pair of nodes", "write map FROM:TO or map FROM:address");
            }
            final PortPlace from = place(pair[0]);
            final PortPlace target = pair[1].equals("address") ? Order.Route.BY_ADDRESS : place(pair[1]);
            if (from.equals(target) || to.put(from, target) != null) {
                throw wrong(from.equals(target) ? "node " + from + " cannot send to itself"
                    : "node " + from + " is listed twice", "write map FROM:TO or map FROM:address");
            }
        }
        return new Order.Route(to);
    }

    private Order address() {
        need(3, "mac ADDRESS NODE");
        if (!MAC.matcher(words[1]).matches()) {
            throw wrong("'" + words[1] + "' is no MAC address", "write for example mac 02:00:00:00:00:07 3");
        }
        final long mac = Long.parseLong(words[1].replace(":", ""), HEX);
        if ((mac & GROUP_BIT) != 0) {
            throw wrong(words[1] + " is the address of a group", "give the address of one device");
        }
        return new Order.Address(mac, words[2].equals("forget") ? Order.Address.FORGET : place(2));
    }

    private Order tap() {
        if (words.length < 2) {
            throw wrong("a node is missing", "write tap NODE [in|out] [one=N] [count=N] [bytes=N]");
        }
        boolean in = true;
        boolean out = true;
        int one = 1;
        long count = Long.MAX_VALUE;
        int bytes = Order.Tap.MOST_BYTES;
        for (int word = 2; word < words.length; word++) {
            final String value = words[word].substring(words[word].indexOf('=') + 1);
            switch (words[word].substring(0, words[word].length() - value.length())) {
                case "one=" -> one = (int) number(value, 1, Integer.MAX_VALUE);
                case "count=" -> count = number(value, 1, Long.MAX_VALUE);
                case "bytes=" -> bytes = (int) number(value, LEAST_SNAP, Order.Tap.MOST_BYTES);
                default -> {
                    if (!words[word].equals("in") && !words[word].equals("out") || !in || !out) {
                        throw wrong("'" + words[word] + "' is no part of it",
                            "write tap NODE [in|out] [one=N] [count=N] [bytes=N]");
                    }
                    in = words[word].equals("in");
                    out = !in;
                }
            }
        }
        return new Order.Tap(place(1), in, out, one, count, bytes);
    }

    private PortPlace place(final int word) {
        return place(words[word]);
    }

    private PortPlace place(final String text) {
        final PortPlace place = PortPlace.of(text);
        if (place.equals(PortPlace.NONE)) {
            throw wrong("'" + text + "' is no node", "give the number of a node, 3, or 3.1 for its second port");
        }
        return place;
    }

    private long number(final String text, final long least, final long most) {
        try {
            final long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // Refused below, as one out of range.
        }
        throw wrong("'" + text + "' is out of range", "give a whole number from " + least + " to " + most);
    }

    private void need(final int count, final String form) {
        if (words.length != count) {
            throw wrong("it has " + (words.length < count ? "too few words" : "words too many"), "write " + form);
        }
    }

    private void atMost(final int count, final String form) {
        if (words.length > count) {
            throw wrong("it has words too many", "write " + form);
        }
    }

    private InputException wrong(final String why, final String advice) {
        return new InputException(WHAT, plain(line), plain(why), advice);
    }

    /** Without control characters, and not too long to read. */
    private static String plain(final String text) {
        final String shown = text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
        return shown.replaceAll("[\\p{Cntrl}\u2028\u2029\u0085]", "?");
    }
}
