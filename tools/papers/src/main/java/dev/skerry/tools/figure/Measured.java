package dev.skerry.tools.figure;

/**
 * A figure that was measured.
 *
 * @param about   which.
 * @param found   what came of it.
 * @param seconds it took.
 * @param processorSeconds of this process meanwhile, compiler and garbage collector included.
 */
public record Measured(About about, Findings found, double seconds, double processorSeconds) {
    /** Checks that missed their rule. */
    public long missed() {
        return found.checks().stream().filter(check -> !check.accepted()).count();
    }

    /** Checks that have a rule. */
    public long ruled() {
        return found.checks().stream().filter(check -> check.verdict() != Verdict.REPORTED).count();
    }

    /** All in a few words: {@code all 12 within their rules}. */
    public String verdict() {
        return missed() == 0 ? "all " + ruled() + " within their rules"
            : missed() + " of " + ruled() + " miss their rules";
    }
}
