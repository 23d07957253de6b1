package dev.skerry.tools.input;

import picocli.CommandLine.Command;

import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * A command of a part, a jar next to the program that may be missing: a service with the name in its annotation. Any
 * thread may look for one.
 */
public interface PartCommand extends Callable<Integer> {
    /** Returns the providers of the commands of all present parts; no command is created yet. */
    static Stream<ServiceLoader.Provider<PartCommand>> all() {
        return ServiceLoader.load(PartCommand.class, PartCommand.class.getClassLoader()).stream();
    }

    /** Returns a new command of a name, if its part is present. */
    static Optional<PartCommand> find(final String name) {
        return all().filter(part -> part.type().getAnnotation(Command.class).name().equals(name)).findFirst()
            .map(ServiceLoader.Provider::get);
    }

    /**
     * Returns a new command of a name.
     *
     * @throws InputException if its part is missing.
     */
    static PartCommand named(final String name) {
        return find(name).orElseThrow(() -> new InputException("command line", name, "the jar that brings this command "
            + "is missing", "build it with mvn package, or put skerry-papers.jar into the folder parts beside "
            + "skerry.jar"));
    }
}
