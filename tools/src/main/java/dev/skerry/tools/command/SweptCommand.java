package dev.skerry.tools.command;

import java.io.IOException;

/** The process of one run of a sweep: a command that ends with the process that started it. */
final class SweptCommand {
    private static final int ABANDONED = 143;

    private SweptCommand() {
    }

    /** Runs a command and exits with its code; at once when standard input ends, for nobody waits any more. */
    public static void main(final String[] arguments) throws IOException {
        Thread.ofPlatform().daemon().name("skerry-parent").start(SweptCommand::watchParent);
        Skerry.main(arguments);
    }

    private static void watchParent() {
        try {
            while (System.in.read() >= 0) {
                continue;
            }
        } catch (final IOException e) {
            Runtime.getRuntime().halt(ABANDONED);
        }
        Runtime.getRuntime().halt(ABANDONED);
    }
}
