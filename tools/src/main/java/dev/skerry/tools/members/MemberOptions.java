package dev.skerry.tools.members;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.members.Members.MemberAddress;
import dev.skerry.tools.members.Members.MemberKey;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The options of {@code skerry run} that divide a fabric among several processes (docs/members.md). */
public final class MemberOptions {
    private static final String SLURM = "slurm";
    private static final int FIRST_PORT = 40_123;
    private static final int LONGEST_SECONDS = 86_400;
    private static final int USUAL_SECONDS = 60;

    @Option(names = "--members", paramLabel = "LIST",
        description = "Run one fabric in several processes, of which this is one. LIST has the address of each, "
            + "host:port,host:port,...; a port alone is on this machine. Members on one host use shared memory, "
            + "others UDP. slurm or slurm:PORT means the tasks of this step of a Slurm job. Member 0 prints the "
            + "report.")
    String list;

    @Option(names = "--member", paramLabel = "I",
        description = "With --members: index of this process in the list, from 0 (default with slurm: its task).")
    Integer self;

    @Option(names = "--cluster", paramLabel = "NAME",
        description = "With --members: name of the cluster; messages from members of another cluster are rejected "
            + "(default: skerry).")
    String cluster;

    @Option(names = "--member-key", paramLabel = "FILE",
        description = "With --members: file with a secret that all members share, at least 16 bytes, readable only "
            + "by you. UDP messages that it does not authenticate are dropped (default: for loopback addresses, a key "
            + "that Skerry generates for your user).")
    Path keyFile;

    @Option(names = "--member-timeout", paramLabel = "S",
        description = "With --members: end the run if a member sends nothing for S seconds while others wait for it. "
            + "A member whose process has ended is detected within about 5 s (default: 60).")
    Integer patience;

    /** Creates options with no values set. */
    public MemberOptions() {
    }

    /**
     * Returns the members that the options define; null if there are none.
     *
     * @throws InputException if an option is invalid or has no effect.
     */
    public Members members() {
        if (list == null) {
            final String why = "there are no members";
            final String advice = "leave it out or add --members";
            Choices.refuse("--member", self, why, advice);
            Choices.refuse("--cluster", cluster, why, advice);
            Choices.refuse("--member-timeout", patience, why, advice);
            Choices.refuse("--member-key", keyFile, why, advice);
            return null;
        }
        final boolean ofSlurm = list.equals(SLURM) || list.startsWith(SLURM + ":");
        final SlurmRanks ranks = new SlurmRanks(System.getenv());
        final List<MemberAddress> all = ofSlurm ? ranks.all(port()) : Arrays.stream(list.split(",", -1))
            .map(text -> MemberAddress.of(list, text)).toList();
        if (all.stream().distinct().count() < all.size()) {
            throw new InputException("--members", list, "two members have one address", "give each a port of its own");
        }
        if (self == null && !ofSlurm) {
            throw new InputException("--members", list, "the index of this process is missing", "add --member I, 0 to "
                + (all.size() - 1));
        }
        final int member = self == null ? ranks.self() : Choices.inRange("--member", self, 0, all.size() - 1);
        return new Members(all, member, cluster == null ? "skerry" : cluster, Duration.ofSeconds(patience == null
            ? USUAL_SECONDS : Choices.inRange("--member-timeout", patience, 1, LONGEST_SECONDS)), key(all));
    }

    /** Returns the secret of the members; null if they communicate only through shared memory. */
    private MemberKey key(final List<MemberAddress> all) {
        if (keyFile != null) {
            return MemberKey.read(keyFile);
        }
        if (all.stream().map(MemberAddress::host).distinct().count() == 1) {
            return null;
        }
        if (!all.stream().allMatch(MemberAddress::isLoopback)) {
            throw new InputException("--members", list, "its messages cross a network, but the members do not share "
                + "a secret",
                "write one with: (umask 077; head -c 32 /dev/urandom >FILE), give it to all with --member-key FILE");
        }
        return MemberKey.ofUser();
    }

    private int port() {
        return list.equals(SLURM) ? FIRST_PORT
            : MemberAddress.of(list, list.substring(SLURM.length() + 1)).port();
    }

    /**
     * Joins the other members and waits for them.
     *
     * @throws InputException if the transport for messages is not installed.
     */
    public MemberGroup join(final Members members) {
        final MemberTransport transport = ServiceLoader.load(MemberTransport.class).findFirst().orElseThrow(() ->
            new InputException("--members", list, "the module that carries their messages is missing", "start skerry "
                + "from the sources, which build it"));
        return new MemberGroup(members, transport.join(members));
    }

    /**
     * The members if Slurm starts them as tasks of {@code srun}, from the environment of a task. Tasks must be assigned
     * to nodes in blocks, which is Slurm's default.
     *
     * @param environment environment of the task.
     */
    record SlurmRanks(Map<String, String> environment) {
        private static final Pattern GROUP = Pattern.compile("([^,\\[]+)(?:\\[([^]]*)])?(?:,|$)");
        private static final Pattern TASKS = Pattern.compile("([0-9]+)(?:\\(x([0-9]+)\\))?");

        /** Returns the index of this task. */
        int self() {
            return number("SLURM_PROCID");
        }

        /** Returns the addresses of all tasks; tasks on the same node have consecutive ports. */
        List<MemberAddress> all(final int firstPort) {
            final List<String> nodes = nodes(text("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"));
            final List<Integer> tasks = tasks(text("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"));
            final List<MemberAddress> all = new ArrayList<>();
            for (int node = 0; node < Math.min(nodes.size(), tasks.size()); node++) {
                for (int task = 0; task < tasks.get(node); task++) {
                    if (all.size() == self() && node != number("SLURM_NODEID")) {
                        throw wrong("SLURM_NODEID", "tasks are not assigned to nodes in blocks", "start them with srun "
                            + "--distribution=block");
                    }
                    all.add(new MemberAddress(nodes.get(node), firstPort + task));
                }
            }
            if (nodes.size() != tasks.size() || self() >= all.size()) {
                throw wrong("SLURM_PROCID", "there are " + all.size() + " tasks on " + nodes.size() + " nodes",
                    "start all "
                    + "members with one srun");
            }
            return all;
        }

        /** Parses names of nodes in Slurm's notation, {@code a[01-03,7],b}. */
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

        /** Parses the numbers of tasks per node in Slurm's notation, {@code 2(x3),1}. */
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
                throw wrong(name, "'" + environment.get(name) + "' is not a number", "start the members with srun");
            }
        }

        private static InputException wrong(final String name, final String why, final String advice) {
            return new InputException("--members", "slurm", name + ": " + why, advice);
        }
    }
}
