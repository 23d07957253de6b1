package dev.skerry.tools.input;

/** The version of the program. */
public final class Version {
    /** As it is printed. */
    public static final String TEXT = "0.1.0";

    private Version() {
    }
}
