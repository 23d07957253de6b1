package dev.skerry.codec.header;

/** An invalid header description. The message is one line: file, line, why, what to do. */
public final class HeaderSyntaxException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final String where;
    private final String why;
    private final String advice;

    HeaderSyntaxException(final String where, final String why, final String advice) {
        super(where + ": " + why + ", " + advice);
        this.where = where;
        this.why = why;
        this.advice = advice;
    }

    /** File and line, such as {@code nic.txt:3}; the file alone if the error is not in a particular line. */
    public String where() {
        return where;
    }

    /** What is wrong. */
    public String why() {
        return why;
    }

    /** Advice on how to correct it. */
    public String advice() {
        return advice;
    }
}
