package dev.skerry.codec;
/** x. */
final class Stub { private Stub() { } }
