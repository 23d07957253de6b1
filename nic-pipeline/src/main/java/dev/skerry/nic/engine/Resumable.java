package dev.skerry.nic.engine;

import dev.skerry.nic.fabric.Engine;

/**
 * An engine whose run its watch may stop, to be written into a file and gone on with, here or in another process. It
 * ends as one that was never stopped.
 */
public interface Resumable extends Engine {
    /** Its state. The owner's thread calls. */
    EngineState state();
}
