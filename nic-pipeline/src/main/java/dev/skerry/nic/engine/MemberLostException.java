package dev.skerry.nic.engine;

/** A member of a fabric that several processes run together is gone, late, or has failed. */
public final class MemberLostException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int member;
    private final String why;

    /**
     * Creates it.
     *
     * @param member its number.
     * @param why    what is known, without its number, as part of one line.
     */
    public MemberLostException(final int member, final String why) {
        super("member " + member + ": " + printable(why));
        this.member = member;
        this.why = printable(why);
    }

    /** What another process says must not work on a terminal. */
    private static String printable(final String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    /** Number of the member. */
    public int member() {
        return member;
    }

    /** What is known, as part of one line. */
    public String why() {
        return why;
    }
}
