package dev.skerry.schedule;

import java.util.Arrays;

/** Connections and shortest paths of a deployed folded Clos, counted tier by tier. */
final class ShortestPaths {
    private final Deployment deployment;
    private final FoldedClos clos;
    private final long[] paths;
    private final int[] hops;

    private ShortestPaths(final Deployment deployment) {
        this.deployment = deployment;
        this.clos = deployment.clos();
        this.paths = new long[clos.devices()];
        this.hops = new int[clos.devices()];
        Arrays.fill(hops, Integer.MAX_VALUE - 1);
    }

    /** By device: shortest paths to an FA, parallel links counted each; 0 if it does not reach it, 1 for itself. */
    static long[] to(final int fa, final Deployment deployment) {
        final ShortestPaths to = new ShortestPaths(deployment);
        final FoldedClos clos = to.clos;
        to.paths[fa] = 1;
        to.hops[fa] = 0;
        for (int device = clos.fas(); device < clos.devices(); device++) {
            to.count(device, 0, clos.downPorts(device));
        }
        for (int device = clos.devices() - 1; device >= 0; device--) {
            if (to.paths[device] == 0) {
                to.count(device, clos.downPorts(device), clos.ports(device));
            }
        }
        return to.paths;
    }

    /** Whether every FA reaches every other one. */
    static boolean connectAll(final UpDownReach reach) {
        final int fas = reach.deployment().clos().fas();
        for (int pair = 0; pair < fas * fas; pair++) {
            if (!reach.reaches(pair / fas, pair % fas)) {
                return false;
            }
        }
        return true;
    }

    private void count(final int device, final int from, final int to) {
        for (int local = from; local < to; local++) {
            final int port = clos.firstPort(device) + local;
            if (deployment.isLive(port)) {
                final int other = clos.deviceOf(clos.peer(port));
                if (paths[other] != 0 && hops[other] + 1 <= hops[device]) {
                    paths[device] = Math.addExact(hops[other] + 1 == hops[device] ? paths[device] : 0, paths[other]);
                    hops[device] = hops[other] + 1;
                }
            }
        }
    }
}
