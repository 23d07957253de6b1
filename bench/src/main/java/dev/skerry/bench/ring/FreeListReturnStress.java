package dev.skerry.bench.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.dataplane.ring.FreeListReturn;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJ_Result;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/**
 * The guarantees of {@link FreeListReturn} between the thread that frees and the owner of the list.
 *
 * <p>{@code .ci/planted.sh} plants a mistake for every scenario and expects the test to fail.
 */
public final class FreeListReturnStress {
    private FreeListReturnStress() {
    }

    /** A returned cell contains what the other thread wrote into it last. */
    @JCStressTest
    @State
    @Outcome(id = {"-1, 0", "0, 7"}, expect = ACCEPTABLE, desc = "Not home yet, or home with its last word.")
    @Outcome(expect = FORBIDDEN, desc = "Handed out again before the foreign thread had let go.")
    public static class CellComesHome {
        private final Arena arena = Arena.ofAuto();
        private final Slab slab = new Slab(arena, 1, 8);
        private final FreeList home = new FreeList(arena, 0, 1);
        private final FreeListReturn way = new FreeListReturn(arena, home, 1);

        /** Allocates the only cell. */
        public CellComesHome() {
            home.alloc();
        }

        /** Writes the cell, then returns it. */
        @Actor
        public void foreign() {
            slab.segment().set(ValueLayout.JAVA_LONG, slab.offset(0), 7);
            way.free(0);
        }

        /** Collects, and reads the cell if it was returned. */
        @Actor
        public void owner(final IJ_Result r) {
            way.collect();
            r.r1 = home.alloc();
            r.r2 = r.r1 == Slab.NONE ? 0 : slab.segment().get(ValueLayout.JAVA_LONG, slab.offset(r.r1));
        }
    }
}
