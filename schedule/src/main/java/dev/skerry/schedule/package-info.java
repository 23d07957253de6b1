/**
 * Schedules of circuit-switched fabrics as pure functions of the slot number.
 *
 * <p>A slot is the time of one cell and one guard band. In every slot a schedule connects every node to one peer it
 * sends to and one it receives from; nothing here knows about cells, queues or threads. {@link
 * dev.skerry.schedule.Phased} is Shale's schedule of h phases over {@link dev.skerry.schedule.Coordinates}; {@link
 * dev.skerry.schedule.Population} says which of its nodes exist and where the user's endpoints live; {@link
 * dev.skerry.schedule.Interleave} shares the slots between two schedules. Package-private: {@code Layers} chooses the
 * absent nodes, of a {@code NodeSet}, with the shuffle of {@code Mt19937}.
 */
package dev.skerry.schedule;
