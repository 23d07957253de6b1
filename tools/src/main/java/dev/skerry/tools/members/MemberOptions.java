package dev.skerry.tools.members;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;

/** The options of {@code skerry run} that divide a fabric over several processes (docs/members.md). */
public final class MemberOptions {
    private static final String SLURM = "slurm";
    private static final int FIRST_PORT = 40_123;
    private static final int LONGEST_SECONDS = 86_400;
    private static final int USUAL_SECONDS = 60;

    @Option(names = "--members", paramLabel = "LIST",
        description = "Run one fabric in several processes, this one among them: the address of each, host:port,"
            + "host:port,... A port alone is on this machine. Members of one host meet in shared memory, others over "
            + "UDP. Or slurm, or slurm:PORT: the tasks of this step of a Slurm job. The report is member 0's.")
    String list;

    @Option(names = "--member", paramLabel = "I",
        description = "With --members: number of this process in the list, from 0 on (default with slurm: its task).")
    Integer self;

    @Option(names = "--cluster", paramLabel = "NAME",
        description = "With --members: name of the cluster; what comes from members of another is refused "
            + "(default: skerry).")
    String cluster;

    @Option(names = "--member-key", paramLabel = "FILE",
        description = "With --members: file with a secret that all members share, at least 16 bytes, which only you "
            + "may read. Messages over UDP that are not made with it are dropped (default: for loopback "
            + "addresses, a key that Skerry generates for your user).")
    Path keyFile;

    @Option(names = "--member-timeout", paramLabel = "S",
        description = "With --members: end if a member sends nothing for S seconds while others wait for it "
            + "(default: 60). A lost member is detected within about 5 s.")
    Integer patience;

    /** None given yet. */
    public MemberOptions() {
    }

    /**
     * Makes sense of the options; null if there are none.
     *
     * @throws InputException if one of them is wrong, or means nothing.
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

    /** The secret of the members; null if they meet in shared memory only. */
    private MemberKey key(final List<MemberAddress> all) {
        if (keyFile != null) {
            return MemberKey.read(keyFile);
        }
        if (all.stream().map(MemberAddress::host).distinct().count() == 1) {
            return null;
        }
        if (!all.stream().allMatch(MemberAddress::isLoopback)) {
            throw new InputException("--members", list, "its messages cross a network, and the members share no secret",
                "write one with: (umask 077; head -c 32 /dev/urandom >FILE), give it to all with --member-key FILE");
        }
        return MemberKey.ofUser();
    }

    private int port() {
        return list.equals(SLURM) ? FIRST_PORT
            : MemberAddress.of(list, list.substring(SLURM.length() + 1)).port();
    }

    /**
     * Joins the others, and waits for them.
     *
     * @throws InputException if what carries their messages is not there.
     */
    public MemberGroup join(final Members members) {
        final MemberTransport transport = ServiceLoader.load(MemberTransport.class).findFirst().orElseThrow(() ->
            new InputException("--members", list, "what carries their messages is a module of its own, and it is not "
                + "here", "start skerry from the sources, which build it"));
        return new MemberGroup(members, transport.join(members));
    }
}
