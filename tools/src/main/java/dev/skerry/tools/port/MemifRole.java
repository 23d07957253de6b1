package dev.skerry.tools.port;

/** Who makes the memory; says nothing about the direction of packets. */
public enum MemifRole {
    /** Listens, and maps the memory that the client made. */
    SERVER,
    /** Connects, and makes the memory. */
    CLIENT
}
