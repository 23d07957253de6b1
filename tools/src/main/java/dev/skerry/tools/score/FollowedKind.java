package dev.skerry.tools.score;

import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.input.InputException;

import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Predicate;

/**
 * A fabric whose recorded nodes can be followed, as one row of a table: {@code score} finds it by {@link
 * ServiceLoader}. picocli fills the object with the options that the fabric has of its own. One thread.
 */
public interface FollowedKind {
    /** As {@code --fabric} takes it, in lower case. */
    String name();

    /** What the words of its links say. */
    LinkWords words();

    /**
     * Followers of all nodes before slot 0, closed with them what they read.
     *
     * @throws InputException if an option is wrong, alone or with another.
     */
    FabricFollower follower(Recording of, FindingLog log);

    /**
     * What was recorded.
     *
     * @param nodes            of the fabric.
     * @param propagationSlots from a sender to its receiver.
     * @param names            what cell words say.
     * @param silence          turns of a link in which a node may send neither a cell nor a dummy though it could;
     *                         0: it is never silent.
     * @param header           in which cells stand; null for columns.
     * @param typed            whether an option was typed.
     */
    record Recording(int nodes, int propagationSlots, CellNames names, int silence, HeaderDescription header,
        Predicate<String> typed) {
    }

    /** All kinds that are there. */
    static List<FollowedKind> all() {
        return ServiceLoader.load(FollowedKind.class).stream().map(ServiceLoader.Provider::get).toList();
    }
}
