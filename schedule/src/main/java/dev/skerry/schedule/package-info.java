/**
 * Schedules of circuit-switched fabrics as pure functions of the slot number.
 *
 * <p>A slot is the time of one cell and one guard band. In every slot a schedule connects every node to one peer it
 * sends to and one it receives from; nothing here knows about cells, queues or threads. {@link
 * dev.skerry.schedule.Phased} is Shale's schedule of h phases over {@link dev.skerry.schedule.Coordinates}.
 */
package dev.skerry.schedule;
