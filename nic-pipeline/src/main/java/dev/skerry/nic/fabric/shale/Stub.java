package dev.skerry.nic.fabric.shale;
/** x. */
final class Stub { private Stub() { } }
