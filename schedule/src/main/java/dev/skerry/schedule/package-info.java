/**
 * Schedules of circuit-switched fabrics as pure functions of the slot number, and the switches that carry them out.
 *
 * <p>A slot is the time of one cell and one guard band. In every slot a {@link dev.skerry.schedule.Schedule} connects
 * every node to one peer it sends to and one it receives from; nothing here knows about cells, queues or threads.
 * {@link dev.skerry.schedule.Phased} is Shale's schedule of h phases over {@link dev.skerry.schedule.Coordinates};
 * {@link dev.skerry.schedule.Population} says which of its nodes exist and where the user's endpoints live; {@link
 * dev.skerry.schedule.Interleave} shares the slots between two schedules. {@link dev.skerry.schedule.RoundRobin} is
 * Shoal's, over channels, plain or re-arranged for propagation delay; {@link dev.skerry.schedule.FeedbackTiming} says
 * when its feedback comes and how old it is; {@link dev.skerry.schedule.ShoalPreset} names the fabrics of the paper.
 *
 * <p>{@link dev.skerry.schedule.Wiring} is a fabric of switches, each with its {@link dev.skerry.schedule.SwitchTable},
 * and fibres between {@link dev.skerry.schedule.PortNumbers}: {@link dev.skerry.schedule.Clos} makes Shoal's of two
 * stages, {@link dev.skerry.schedule.PhaseGroupSwitches} Shale's, {@link dev.skerry.schedule.Crossbar} one of a single
 * switch a channel for any schedule. {@link dev.skerry.schedule.LostSlots} cuts parts out of it and counts the cost.
 *
 * <p>Stardust needs no schedule but a folded Clos: {@link dev.skerry.schedule.FoldedClosConfig} checks what one is made
 * of, {@link dev.skerry.schedule.FoldedClos} connects its ports, {@link dev.skerry.schedule.FoldedClosScale} says how
 * far it goes. A {@link dev.skerry.schedule.Deployment} is what of it is there and works, {@link
 * dev.skerry.schedule.UpDownReach} who reaches whom in it, in {@link dev.skerry.schedule.LinkSets} that {@link
 * dev.skerry.schedule.SprayOrder} deals cells over. {@link dev.skerry.schedule.AdapterConfig} checks the numbers of an
 * adapter against each other.
 *
 * <p>Package-private: {@code Layers} chooses the absent nodes, of a {@code NodeSet}, with the shuffle of {@code
 * Mt19937}; {@code RoundRobinColumns} lays out a round robin; {@code EdgeColouring} chooses spines; {@code
 * RoundRobinCheck} and {@code WiringCheck} refuse what is none.
 */
package dev.skerry.schedule;
