package dev.skerry.nic.model;

import java.io.IOException;

/** The other process of {@link NodeModelTest}: restores a state and runs 2,000 slots. */
final class NodeModelOther {
    private NodeModelOther() {
    }

    public static void main(final String[] arguments) throws IOException {
        final Recorded record = Recorded.of(arguments[0].equals("shale") ? Recorded.shale(4) : Recorded.shoal(4, 1),
            4000, 1);
        final StringBuilder lines = new StringBuilder();
        try (NodeModel model = record.model()) {
            model.restore(System.in.readAllBytes());
            for (int slot = 2000; slot < 4000; slot++) {
                lines.append(model.step(slot, record.received.get(slot))).append('\n');
            }
        }
        System.out.print(lines);
    }
}
