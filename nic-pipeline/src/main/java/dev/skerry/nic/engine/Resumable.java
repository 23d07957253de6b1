package dev.skerry.nic.engine;

import dev.skerry.dataplane.memory.Checkpoint;
import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.engine.FreeRunningThreads.AgentGraph;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.PipelineState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowWaits;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * An engine whose run its watch may stop, to be written into a file and gone on with, here or in another process. It
 * ends as one that was never stopped.
 */
public interface Resumable extends Engine {
    /** Its state. The owner's thread calls. */
    EngineState state();

    /**
     * One member's engine of a fabric that several processes run together. All call the same methods in the same order.
     */
    interface MemberEngine extends Resumable {
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

    /**
     * The state of an engine, between two parts of a run.
     *
     * @param engine all that can be reached from it is its state.
     * @param arena  of its memory.
     * @param over   whether the last part of the run came to its end.
     * @param done   slots done by all nodes.
     */
    record EngineState(Object engine, CountedArena arena, BooleanSupplier over, LongSupplier done) {
        private static final PipelineState ACCESS = EngineState::isConstant;

        /** Whether the run came to its end; false if its watch stopped it. */
        public boolean isOver() {
            return over.getAsBoolean();
        }

        /** Slots done by all nodes. */
        public long slots() {
            return done.getAsLong();
        }

        /**
         * Writes the state into a file, which is replaced when all is written.
         *
         * @param identity what made the engine, up to 1 MiB of text; it stands in the file.
         * @throws IOException if it cannot be written; the file is as it was.
         */
        public void save(final Path file, final String identity) throws IOException {
            Checkpoint.write(file, identity, arena, engine, ACCESS);
        }

        /**
         * Puts the engine, at slot 0, into a state. It was made as the one that was written: with the same fabric,
         * flows, faults, and number of workers or threads.
         *
         * @throws IllegalArgumentException if it is the state of another engine; this one must be closed then.
         * @throws IOException              if the file cannot be read.
         */
        public void restore(final Checkpoint from) throws IOException {
            from.restore(arena, engine, ACCESS);
        }

        /** What made the engine, threads, and the way to other processes. */
        private static boolean isConstant(final Object object) {
            return object instanceof FlowSet || object instanceof FlowWaits || object instanceof Faults
                || object instanceof Fabric || object instanceof FabricParts || object instanceof FabricParts.Banks
                || object instanceof LockStepWorkers
                || object instanceof Threading || object instanceof AgentGraph
                || object instanceof MemberMessages || object instanceof MemberMessages.Rows
                || object instanceof PipelineState.Constant;
        }
    }
}
