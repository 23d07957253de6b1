package dev.skerry.nic.shale.control;

/**
 * How a {@link TokenLedger} stores what is outstanding: {@link TokenTable} counts in small fabrics, {@link TokenLists}
 * in all others. Links are numbered within the bank. One thread at a time.
 */
interface OutstandingTokens {
    /**
     * Spends a token on each of the links listed, where its bucket has one left.
     *
     * @param firstLink the first of links that follow each other.
     * @param asking    the links that ask, counted from the first, each once.
     * @param some      how many ask.
     * @param keys      by link: its bucket plus 1, {@link dev.skerry.nic.shale.Route#NO_TOKEN}, or 0 with a limit of 0.
     * @param limits    by link: tokens of the bucket, 0 where nothing is asked for.
     * @param spent     by link: gets 1 where there was one left, or none is needed; else 0.
     */
    void spend(int firstLink, int[] asking, int some, int[] keys, int[] limits, int[] spent);

    /**
     * Takes back a token on each of the links listed. A token that was not outstanding is ignored; its bucket turns
     * into -1.
     *
     * @return tokens ignored.
     */
    int giveBack(int firstLink, int[] giving, int some, int[] buckets);

    /** Reads what is stored of listed links in a loop that does nothing else, so that cache misses overlap. */
    void fetch(int firstLink, int[] which, int some);

    /** Tokens of a bucket outstanding on a link. */
    int out(int link, int bucket);

    /** Spends a token. */
    void spend(int link, int bucket);

    /**
     * Takes a token back.
     *
     * @return false if none of this bucket was outstanding; nothing changes then.
     */
    boolean giveBack(int link, int bucket);

    /** Forgets what is outstanding on a link. */
    void clear(int link);

    /** Tokens of all buckets outstanding on a link. */
    int total(int link);

    /** Shows every outstanding bucket of a link once, in ascending order. */
    void forEach(int link, Visitor visitor);

    /** Sees outstanding tokens. */
    @FunctionalInterface
    interface Visitor {
        void outstanding(int bucket, int tokens);
    }
}
