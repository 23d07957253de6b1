/**
 * What a Stardust fabric is (docs/spec/stardust.md §1, §2): {@link dev.skerry.nic.stardust.fabric.Stardust} with the
 * rules of its hosts ({@code HostSide}, {@code HostModel}), of its packets and cells ({@code CellCut}, {@code
 * StardustCell}), of its credits ({@code Credits}) and of its links ({@code LinkRules}, {@code ReachTiming}); and what
 * all its parts share: the devices of a bank, its counters, and queues of numbers.
 */
package dev.skerry.nic.stardust.fabric;
