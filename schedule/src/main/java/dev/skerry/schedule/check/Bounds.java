package dev.skerry.schedule.check;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Bounds of arguments, both included. Pure functions, any thread. */
public final class Bounds {
    private Bounds() {
    }

    /**
     * Checks an argument.
     *
     * @param name  of the argument, for the message.
     * @param value the argument.
     * @param least the smallest it may be.
     * @param most  the largest it may be.
     * @return the value.
     * @throws IllegalArgumentException if the value is out of bounds; the message names all of these.
     */
    public static long require(final String name, final long value, final long least, final long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                name + " must be " + least + " to " + most + ": " + name + "=" + value);
        }
        return value;
    }

    /** The same for an argument that has no upper bound of its own. */
    public static long atLeast(final String name, final long value, final long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ": " + name + "=" + value);
        }
        return value;
    }

    /**
     * Refuses an argument.
     *
     * @param message why, in parts that are put together only if it is wrong.
     * @throws IllegalArgumentException if it is wrong.
     */
    public static void refuseIf(final boolean wrong, final Object... message) {
        if (wrong) {
            throw new IllegalArgumentException(text(message));
        }
    }

    static String text(final Object... parts) {
        return Arrays.stream(parts).map(String::valueOf).collect(Collectors.joining());
    }
}
