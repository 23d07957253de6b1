package dev.skerry.tools.members;

import dev.skerry.tools.input.InputException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who the members are when Slurm starts them, a task each: from the environment of a task of {@code srun}. Tasks are
 * given to nodes in blocks, Slurm's default.
 */
final class SlurmRanks {
    private static final Pattern GROUP = Pattern.compile("([^,\\[]+)(?:\\[([^]]*)])?(?:,|$)");
    private static final Pattern TASKS = Pattern.compile("([0-9]+)(?:\\(x([0-9]+)\\))?");

    private final Map<String, String> environment;

    SlurmRanks(final Map<String, String> environment) {
        this.environment = environment;
    }

    /** Number of this task. */
    int self() {
        return number("SLURM_PROCID");
    }

    /** Every task: those of one node on ports from the first one on. */
    List<MemberAddress> all(final int firstPort) {
        final List<String> nodes = nodes(text("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"));
        final List<Integer> tasks = tasks(text("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"));
        final List<MemberAddress> all = new ArrayList<>();
        for (int node = 0; node < Math.min(nodes.size(), tasks.size()); node++) {
            for (int task = 0; task < tasks.get(node); task++) {
                if (all.size() == self() && node != number("SLURM_NODEID")) {
                    throw wrong("SLURM_NODEID", "tasks are not given to nodes in blocks", "start them with srun "
                        + "--distribution=block");
                }
                all.add(new MemberAddress(nodes.get(node), firstPort + task));
            }
        }
        if (nodes.size() != tasks.size() || self() >= all.size()) {
            throw wrong("SLURM_PROCID", "there are " + all.size() + " tasks on " + nodes.size() + " nodes", "start all "
                + "members with one srun");
        }
        return all;
    }

    /** Names of nodes as Slurm writes them, {@code a[01-03,7],b}. */
    static List<String> nodes(final String list) {
        final List<String> nodes = new ArrayList<>();
        final Matcher group = GROUP.matcher(list);
        while (group.find()) {
            if (group.group(2) == null) {
                nodes.add(group.group(1));
                continue;
            }
            for (final String range : group.group(2).split(",")) {
                final String[] ends = range.split("-");
                final int width = ends[0].length();
                final int last = Integer.parseInt(ends[ends.length - 1]);
                for (int i = Integer.parseInt(ends[0]); i <= last; i++) {
                    nodes.add(group.group(1) + String.format("%0" + width + "d", i));
                }
            }
        }
        return nodes;
    }

    /** Tasks of each node as Slurm writes them, {@code 2(x3),1}. */
    static List<Integer> tasks(final String list) {
        final List<Integer> tasks = new ArrayList<>();
        final Matcher matcher = TASKS.matcher(list);
        while (matcher.find()) {
            final int times = matcher.group(2) == null ? 1 : Integer.parseInt(matcher.group(2));
            for (int i = 0; i < times; i++) {
                tasks.add(Integer.parseInt(matcher.group(1)));
            }
        }
        return tasks;
    }

    private String text(final String name, final String otherwise) {
        final String text = environment.getOrDefault(name, environment.get(otherwise));
        if (text == null) {
            throw wrong(name, "Slurm has not set it", "start the members with srun, or list them");
        }
        return text;
    }

    private int number(final String name) {
        try {
            return Integer.parseInt(text(name, name));
        } catch (final NumberFormatException e) {
            throw wrong(name, "'" + environment.get(name) + "' is no number", "start the members with srun");
        }
    }

    private static InputException wrong(final String name, final String why, final String advice) {
        return new InputException("--members", "slurm", name + ": " + why, advice);
    }
}
