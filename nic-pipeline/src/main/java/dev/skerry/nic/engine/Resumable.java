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
 * An engine whose run can be stopped by its watch, saved to a file and resumed here or in another process. The result
 * equals that of an uninterrupted run.
 */
public interface Resumable extends Engine {
    /** The state of this engine. Called by the owner's thread. */
    EngineState state();

    /**
     * One member's engine of a fabric that several processes run together. All members call the same methods in the
     * same order.
     */
    interface MemberEngine extends Resumable {
        /**
         * Volume of the exchange between members, and the CPU time that their threads spent on it; waiting is not
         * counted.
         *
         * @param batches number of batches sent.
         * @param bytes   size of the batches, including headers.
         * @param places  number of row places in them: cells, feedback and messages that crossed.
         * @param sendNs  CPU time for packing and sending.
         * @param takeNs  CPU time for processing the batches of others.
         */
        record Exchanged(long batches, long bytes, long places, long sendNs, long takeNs) {
        }

        /** Volume and CPU time of the exchange so far. Not during a run. */
        Exchanged cost();
    }

    /**
     * The state of an engine between two parts of a run.
     *
     * @param engine everything that can be reached from it is state.
     * @param arena  arena of its memory.
     * @param over   whether the last part of the run reached its end.
     * @param done   slots done by all nodes.
     */
    record EngineState(Object engine, CountedArena arena, BooleanSupplier over, LongSupplier done) {
        private static final PipelineState ACCESS = EngineState::isConstant;

        /** Whether the run reached its end; false if its watch stopped it. */
        public boolean isOver() {
            return over.getAsBoolean();
        }

        /** Slots done by all nodes. */
        public long slots() {
            return done.getAsLong();
        }

        /**
         * Saves the state to a file, which is replaced once everything has been written.
         *
         * @param identity describes how to create the engine, up to 1 MiB of text; stored in the file.
         * @throws IOException if the file cannot be written; it is unchanged.
         */
        public void save(final Path file, final String identity) throws IOException {
            Checkpoint.write(file, identity, arena, engine, ACCESS);
        }

        /**
         * Restores a state into this engine, which must be at slot 0 and created like the saved one: with the same
         * fabric, flows, faults, and number of workers or threads.
         *
         * @throws IllegalArgumentException if the state belongs to another engine; this engine must be closed then.
         * @throws IOException              if the file cannot be read.
         */
        public void restore(final Checkpoint from) throws IOException {
            from.restore(arena, engine, ACCESS);
        }

        /** Excludes the inputs of the engine, threads, and connections to other processes. */
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
