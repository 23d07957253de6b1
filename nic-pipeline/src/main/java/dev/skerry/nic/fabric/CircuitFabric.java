package dev.skerry.nic.fabric;

import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shoal.Shoal;

/** A fabric of circuits that change from slot to slot by a schedule: its nodes forward, its switches decide nothing. */
public sealed interface CircuitFabric extends Fabric permits Shale, Shoal {
}
