package dev.skerry.dataplane.queue;
/** x. */
final class Stub { private Stub() { } }
