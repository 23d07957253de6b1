/**
 * Schedules as pure functions of the slot number, and the switches that realise them. Nothing here knows cells or
 * queues.
 *
 * <p>{@link dev.skerry.schedule.Schedule}: {@link dev.skerry.schedule.Phased} (Shale), with {@link
 * dev.skerry.schedule.Population} and {@link dev.skerry.schedule.SlotShares}; {@link dev.skerry.schedule.RoundRobin}
 * (Shoal). {@link dev.skerry.schedule.Wiring}: a fabric of {@link dev.skerry.schedule.SwitchTable}s and fibres, made by
 * {@link dev.skerry.schedule.Clos}, {@link dev.skerry.schedule.PhaseGroupSwitches} or {@link
 * dev.skerry.schedule.Crossbar}.
 * Stardust's {@link dev.skerry.schedule.FoldedClos}, what of it is present ({@link dev.skerry.schedule.Deployment})
 * and who reaches whom ({@link dev.skerry.schedule.UpDownReach}).
 */
package dev.skerry.schedule;
