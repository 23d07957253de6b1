package dev.skerry.nic.engine;

/** One member's engine of a fabric that several processes run together. All call the same methods in the same order. */
public interface MemberEngine extends Resumable {
    /**
     * What members sent each other, and the processor time that their threads took for it; waiting is not counted.
     *
     * @param batches sent.
     * @param bytes   of them, heads included.
     * @param places  of rows in them: cells, feedback and messages that crossed.
     * @param sendNs  of a processor, to pack and to send them.
     * @param takeNs  of a processor, to take in those of others.
     */
    record Exchanged(long batches, long bytes, long places, long sendNs, long takeNs) {
    }

    /** What this member exchanged with the others so far. Not while it runs. */
    Exchanged cost();
}
