package dev.skerry.dataplane.ring;
/** x. */
final class Stub { private Stub() { } }
