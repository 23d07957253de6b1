package dev.skerry.tools.input;

/**
 * Wrong input from the command line or a file. It becomes one line on standard error,
 * {@code skerry: <what>: <where>: <why>, <what to do>}, and exit code 2.
 */
public final class InputException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * One complaint.
     *
     * @param what   the kind of input, for example {@code trace} or {@code --nodes}.
     * @param where  the place, for example {@code flows.csv:12}; for an option, the value given. Shown as two quotes if
     *               empty.
     * @param why    what is wrong with it.
     * @param advice what to do instead.
     */
    public InputException(final String what, final String where, final String why, final String advice) {
        super("skerry: " + what + ": " + (where.isEmpty() ? "''" : where) + ": " + why + ", " + advice);
    }
}
