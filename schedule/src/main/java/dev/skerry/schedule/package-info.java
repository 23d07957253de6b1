/**
 * Schedules as pure functions of the slot number, and the circuit switches that realise them; independent of cells and
 * queues. {@link dev.skerry.schedule.Phased} is Shale's {@link dev.skerry.schedule.Schedule},
 * {@link dev.skerry.schedule.RoundRobin} is Shoal's; {@link dev.skerry.schedule.Wiring} holds switch tables and fibres.
 * {@link dev.skerry.schedule.FoldedClos}, {@link dev.skerry.schedule.Deployment} and
 * {@link dev.skerry.schedule.UpDownReach} describe Stardust's topology.
 */
package dev.skerry.schedule;
