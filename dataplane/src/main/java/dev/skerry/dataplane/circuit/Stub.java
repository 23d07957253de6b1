package dev.skerry.dataplane.circuit;
/** x. */
final class Stub { private Stub() { } }
