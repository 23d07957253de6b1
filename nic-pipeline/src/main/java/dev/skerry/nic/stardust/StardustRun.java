package dev.skerry.nic.stardust;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.EngineState;
import dev.skerry.nic.engine.Resumable;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.Stardust;

/** What the engines of Stardust have in common: the assembled fabric, and how far it has come. */
abstract class StardustRun implements Resumable {
    final Stardust fabric;
    final FlowSet flows;
    final CountedArena arena;
    final StardustAssembly books;
    long slots;
    /** The slot before which a run without a limit was over; a few more follow, see {@link RunEnd}. */
    long over = RunEnd.NOT_YET;

    StardustRun(final StardustAssembly books) {
        this.fabric = books.fabric();
        this.flows = books.flows();
        this.arena = books.arena();
        this.books = books;
    }

    /** Whether the last run came to its end; false if its watch stopped it. */
    abstract boolean isDone();

    /** The outcome of these devices, which hold some cells. */
    final Outcome outcome(final long held) {
        return books.outcome(over == RunEnd.NOT_YET ? slots : over, held);
    }

    @Override
    public final EngineState state() {
        return new EngineState(this, arena, this::isDone, () -> slots);
    }

    /** Of the devices of this process. */
    @Override
    public final long count(final NicCounter counter) {
        return books.count(counter);
    }

    @Override
    public Outcome outcome() {
        return outcome(books.conserve(slots));
    }

    @Override
    public void close() {
        arena.close();
    }
}
