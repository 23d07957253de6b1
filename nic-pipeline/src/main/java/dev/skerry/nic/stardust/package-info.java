/**
 * Stardust (docs/spec/stardust.md). {@code fabric} describes a fabric, {@code host} makes packets, {@code adapter}
 * queues packets, cuts them into cells and reassembles them, and {@code element} forwards cells; {@code nic.fattree} is
 * the network of packet switches with which the paper compares Stardust. In this package a {@code StardustBank} has the
 * devices of one worker or agent, {@code StardustRun} builds banks and their shared state ({@code StardustShared}), and
 * {@link dev.skerry.nic.stardust.StardustEngine} and {@link dev.skerry.nic.stardust.StardustThreads} step them.
 */
package dev.skerry.nic.stardust;
