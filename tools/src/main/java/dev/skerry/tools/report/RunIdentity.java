package dev.skerry.tools.report;

import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.BuildVersion;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The inputs of a run as text: the build, all settings, the flows and the faults. Two runs with the same identity have
 * the same state in every slot, in the same memory layout. Thread-safe.
 */
public final class RunIdentity {
    private RunIdentity() {
    }

    /**
     * Returns the identity of a run, with one line {@code name=value} per input.
     *
     * @param settings settings as they would be typed.
     * @param out      whether result files are written.
     * @param workers  number of workers in lock step.
     */
    public static String of(final Map<String, String> settings, final boolean out, final int workers,
        final FlowSet flows, final Faults faults) {
        final StringBuilder text = new StringBuilder("build=" + BuildVersion.here());
        settings.forEach((name, value) -> text.append('\n').append(name).append('=')
            .append(value.replace('\n', ' ')));
        return text.append("\nresult files=").append(out)
            .append("\nworkers=").append(workers)
            .append("\ncontent of flows=").append(flows(flows))
            .append("\ncontent of faults=").append(sum(faults.plan().faults().toString())).toString();
    }

    /** Describes the first input in which a stored identity differs; null if they are equal. */
    public static String difference(final String written, final String now) {
        final List<String> old = written.lines().toList();
        final List<String> here = now.lines().toList();
        for (int i = 0; i < Math.max(old.size(), here.size()); i++) {
            final String was = i < old.size() ? old.get(i) : "nothing";
            final String is = i < here.size() ? here.get(i) : "nothing";
            if (!was.equals(is)) {
                return was + ", not " + is;
            }
        }
        return null;
    }

    /** Returns a text that identifies a set of flows. */
    public static String flows(final FlowSet flows) {
        final CRC32C sum = new CRC32C();
        final ByteBuffer row = ByteBuffer.allocate(5 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int flow = 0; flow < flows.size(); flow++) {
            row.clear().putLong(flows.id(flow)).putLong(flows.source(flow)).putLong(flows.destination(flow))
                .putLong(flows.cells(flow)).putLong(flows.startSlot(flow));
            sum.update(row.flip());
        }
        if (flows.waits() != null) {
            flows.waits().numbers().forEach(number -> sum.update(row.clear().putLong(number).flip()));
        }
        return flows.size() + " flows, " + Long.toHexString(sum.getValue());
    }

    private static String sum(final String text) {
        final CRC32C sum = new CRC32C();
        sum.update(text.getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(sum.getValue());
    }
}
