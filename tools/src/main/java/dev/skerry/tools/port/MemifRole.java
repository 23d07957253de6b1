package dev.skerry.tools.port;

/** Which side allocates the shared memory; independent of the direction of packets. */
public enum MemifRole {
    /** Listens, and maps the client's memory. */
    SERVER,
    /** Connects, and allocates the memory. */
    CLIENT
}
