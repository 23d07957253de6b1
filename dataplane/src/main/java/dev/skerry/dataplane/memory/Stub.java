package dev.skerry.dataplane.memory;
/** x. */
final class Stub { private Stub() { } }
