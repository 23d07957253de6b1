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
 * A fabric whose recorded nodes can be followed. {@code score} finds the implementations by {@link ServiceLoader}, and
 * picocli sets their options, which are those of one fabric. Not thread-safe.
 */
public interface FollowedKind {
    /** Value of {@code --fabric}, in lower case. */
    String name();

    /** Fields of the words on the links. */
    LinkWords words();

    /**
     * Creates followers of all nodes before slot 0. Closing the result also closes the files that it reads.
     *
     * @throws InputException if an option is invalid, alone or combined with another one.
     */
    FabricFollower follower(Recording of, FindingLog log);

    /**
     * Properties of the recording.
     *
     * @param nodes            number of nodes of the fabric.
     * @param propagationSlots propagation delay from a sender to its receiver.
     * @param names            interpretation of the cell words.
     * @param silence          turns of a link in which a node may send neither a cell nor a dummy although it could; 0
     *                         if it is never silent.
     * @param header           header that contains the cells; null for columns.
     * @param typed            whether an option was given.
     */
    record Recording(int nodes, int propagationSlots, CellNames names, int silence, HeaderDescription header,
        Predicate<String> typed) {
    }

    /** Returns all kinds of fabrics. */
    static List<FollowedKind> all() {
        return ServiceLoader.load(FollowedKind.class).stream().map(ServiceLoader.Provider::get).toList();
    }
}
