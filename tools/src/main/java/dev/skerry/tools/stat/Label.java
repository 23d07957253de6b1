package dev.skerry.tools.stat;

/**
 * The label of a counter in its file, {@code name} or {@code name{key="value",...}}. Immutable.
 *
 * @param name what is counted.
 * @param keys all between the braces, as it stands there; empty without braces.
 */
record Label(String name, String keys) {
    /** Splits a label at its braces. */
    static Label of(final String text) {
        final int brace = text.indexOf('{');
        return brace < 0 || !text.endsWith("}") ? new Label(text, "")
            : new Label(text.substring(0, brace), text.substring(brace + 1, text.length() - 1));
    }

    /** The value of a key, without its quotes and with characters as they were; empty if it has no such key. */
    String value(final String key) {
        final String start = key + "=\"";
        int at = keys.startsWith(start) ? start.length() : keys.indexOf("," + start) + start.length() + 1;
        if (at <= start.length() && !keys.startsWith(start)) {
            return "";
        }
        final StringBuilder value = new StringBuilder();
        for (; at < keys.length() && keys.charAt(at) != '"'; at++) {
            at += keys.charAt(at) == '\\' ? 1 : 0;
            value.append(at < keys.length() ? keys.charAt(at) : "");
        }
        return value.toString();
    }

    /** The keys that Prometheus gets: those of a process and of the label, without one of them. */
    String keysWith(final long pid, final String without) {
        final String value = without.isEmpty() ? "" : without + "=\"" + value(without) + "\"";
        final String kept = value.isEmpty() ? keys : keys.replace("," + value, "").replace(value, "");
        return "pid=\"" + pid + "\"" + (kept.isEmpty() ? "" : "," + kept);
    }
}
