package dev.skerry.tools.sweep;

import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/** {@code skerry sweep merge}: finished runs of several folders in one. */
@Command(
    name = "merge",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
        "Copies the finished runs of several folders, for example of the shards of a sweep, into one. Runs that are "
            + "there already stay as they are.",
        ""
    },
    footer = {
        "",
        "Example, a sweep in two parts:",
        "  ./skerry sweep --set load=0.1,0.2 --shard 1/2 --out part1",
        "  ./skerry sweep --set load=0.1,0.2 --shard 2/2 --out part2",
        "  ./skerry sweep merge part1 part2 --out all"
    })
final class SweepMergeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", arity = "1..*", description = "Folders of sweeps.")
    List<Path> folders = new ArrayList<>();

    @Option(names = "--out", paramLabel = "DIR",
        description = "The folder that takes them, which has to be given: a new one, or that of a sweep.")
    Path out;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() {
        if (out == null) {
            throw new InputException("sweep merge", "--out", "it is missing", "name a folder for the runs");
        }
        final List<List<SweepRow>> rows = folders.stream().map(SweepStore::rows).toList();
        try (SweepStore store = SweepStore.open(out, SweepShard.of(null), SweepCommand.typed(spec))) {
            int taken = 0;
            for (int i = 0; i < folders.size(); i++) {
                if (Files.isSameFile(folders.get(i), out)) {
                    throw new InputException("--out", out.toString(), "it is among the folders to merge",
                        "leave it out there");
                }
                for (final SweepRow row : rows.get(i)) {
                    taken += store.take(folders.get(i), row.id()) ? 1 : 0;
                }
            }
            store.writeTables();
            spec.commandLine().getOut().printf(Locale.ROOT, "%,d runs copied, %,d runs in %s%n", taken,
                SweepStore.rows(out).size(), out);
            spec.commandLine().getOut().flush();
            return 0;
        } catch (final IOException e) {
            throw SweepStore.unwritable(out, e);
        }
    }
}
