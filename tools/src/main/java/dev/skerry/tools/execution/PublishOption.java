package dev.skerry.tools.execution;

import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.Scenario;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;

/** The option of {@code skerry run} that shows the run to {@code stat} and {@code watch}. */
public final class PublishOption {
    @Option(names = "--publish", paramLabel = "DIR", arity = "0..1", fallbackValue = "",
        description = "Show counters of the run to ./skerry stat and ./skerry watch while it runs; in this folder, or "
            + "where they look by themselves.")
    String publish;

    /** Whether it was given. */
    public boolean isGiven() {
        return publish != null;
    }

    /**
     * Opens the counters.
     *
     * @param name what the process does, for readers.
     * @param log  tells what nodes hold; null if nobody does.
     * @return null if they were not asked for.
     * @throws InputException if there can be no file.
     */
    public RunGauges open(final String name, final Scenario scenario, final RunLog log) {
        if (publish == null) {
            return null;
        }
        final Path folder = publish.isEmpty() ? PrivateFiles.userFolder() : Path.of(publish);
        try {
            return RunGauges.create(folder, name, scenario, log);
        } catch (final IOException e) {
            throw InputException.notWritten("--publish", folder, e, "name a folder with room that you may write to");
        }
    }
}
