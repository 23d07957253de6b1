package dev.skerry.tools.figure;

/** What comes of comparing a measured value with what is accepted. */
public enum Verdict {
    /** Accepted. */
    OK,
    /** Not accepted. */
    MISSED,
    /** Nothing says what to accept: the value is there to be read. */
    REPORTED
}
