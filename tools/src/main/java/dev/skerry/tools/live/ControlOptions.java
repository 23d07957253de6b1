package dev.skerry.tools.live;

import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.tools.ctl.ControlSocket;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Whether a dataplane listens to orders while it runs, and where. One thread. */
final class ControlOptions {
    @Option(names = "--ctl", paramLabel = "PATH", arity = "0..1", fallbackValue = "",
        description = "Listen at this Unix socket for orders of ./skerry ctl; only you can connect (without a path: in "
            + "the folder of the counters).")
    String path;

    /** Creates options for picocli, which then sets them. */
    ControlOptions() {
    }

    /**
     * Checks them.
     *
     * @throws InputException if places are kept for ports that nobody can add.
     */
    void check(final List<PortChoice> choices) {
        for (final PortChoice choice : choices) {
            if (path == null && choice.text().equals(VacantPort.KIND)) {
                throw new InputException("--port", choice.place() + "=" + choice.text(), "it keeps a place for a port "
                    + "that skerry ctl adds, and nobody can", "add --ctl, or leave the port out");
            }
        }
    }

    /**
     * Listens from now on.
     *
     * @param folder of the counters; null: the usual one.
     * @param desk   carries them out.
     * @return closes the socket; null if nobody asked for one.
     */
    ControlSocket open(final Path folder, final LiveDesk desk) {
        if (path == null) {
            return null;
        }
        Path at = Path.of(path);
        if (path.isEmpty()) {
            final Path where = folder != null ? folder : PrivateFiles.userFolder();
            try {
                PrivateFiles.folder(where);
            } catch (final IOException e) {
                throw new InputException("--ctl", where.toString(), "no socket can be made there: "
                    + PrivateFiles.reason(e), "give a path");
            }
            at = where.resolve(ProcessHandle.current().pid() + ControlSocket.SUFFIX);
        }
        return ControlSocket.open(at, desk);
    }
}
