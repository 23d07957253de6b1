/**
 * The description of a Stardust fabric (docs/spec/stardust.md §1, §2): {@link dev.skerry.nic.stardust.fabric.Stardust}
 * with the rules of its hosts ({@code HostSide}), of its packets and cells ({@code CellCut}, {@code StardustCell}), of
 * its credits ({@code Credits}) and of its links ({@code LinkRules}, {@code ReachTiming}); and structures that all its
 * parts share.
 */
package dev.skerry.nic.stardust.fabric;
