package dev.skerry.tools.sweep;

import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** {@code skerry sweep status}: what is done, under way, waiting, failed. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
        "Says how far a sweep is: finished runs, runs under way, and for a sweep of --engine slurm what Slurm says of "
            + "those that are not finished, and why runs failed.",
        ""
    },
    footer = {
        "",
        "Example, after ./skerry sweep --set load=0.1,0.2 --engine slurm --detach --out grid:",
        "  ./skerry sweep status grid"
    })
final class SweepStatusCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "The folder of a sweep.")
    Path folder;

    @Option(names = "--runs", description = "Also a line for each run that is not finished.")
    boolean each;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        final PrintWriter out = spec.commandLine().getOut();
        try {
            final Set<String> finished = SweepStore.finished(folder);
            out.printf(Locale.ROOT, "%,d runs finished%n", finished.size());
            final SlurmFolder slurm = SlurmFolder.of(folder);
            if (slurm.isThere()) {
                slurm(out, slurm, finished);
            } else {
                out.printf(Locale.ROOT, "%,d runs under way on this machine%n", SweepStore.underWay(folder));
            }
            out.flush();
            return 0;
        } catch (final IOException e) {
            throw new InputException("sweep", folder.toString(), "its state cannot be told (" + e.getMessage() + ")",
                "try again when Slurm answers");
        }
    }

    private void slurm(final PrintWriter out, final SlurmFolder slurm, final Set<String> finished)
        throws IOException, InterruptedException {
        final Map<String, List<String>> states = new TreeMap<>();
        final Set<String> told = new HashSet<>(finished);
        for (final SlurmClient.Seen task : SlurmClient.tasks(slurm.jobName())) {
            final List<String> ids = slurm.ids(task.array());
            if (!task.isOver() && task.index() < ids.size() && told.add(ids.get(task.index()))) {
                states.computeIfAbsent(task.state() + (task.isRunning() ? " on " + task.node() : task.reason()
                    .equals("None") ? "" : ", " + task.reason()), _ -> new ArrayList<>())
                    .add(slurm.task(task.array(), task.index()).point().line());
            }
        }
        for (final int array : slurm.arrays()) {
            final List<String> ids = slurm.ids(Integer.toString(array));
            for (int i = 0; i < ids.size(); i++) {
                if (told.add(ids.get(i))) {
                    final String why = slurm.failure(ids.get(i));
                    states.computeIfAbsent("not finished and in no queue, the same command tries them again",
                        _ -> new ArrayList<>()).add(slurm.task(Integer.toString(array), i).point().line() + ": "
                        + (why == null ? "its job ended without a word" : why));
                }
            }
        }
        states.forEach((state, lines) -> {
            out.printf(Locale.ROOT, "%,d runs %s%n", lines.size(), state);
            if (each) {
                lines.forEach(line -> out.println("  " + line));
            }
        });
    }
}
