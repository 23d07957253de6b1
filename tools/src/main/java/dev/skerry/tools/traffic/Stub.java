package dev.skerry.tools.traffic;
/** x. */
final class Stub { private Stub() { } }
