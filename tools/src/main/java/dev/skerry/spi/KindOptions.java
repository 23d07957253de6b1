package dev.skerry.spi;

import dev.skerry.spi.FabricKind.OptionGroup;
import dev.skerry.tools.input.Choices;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.ArrayList;
import java.util.List;

/** The options that fabrics have of their own, as typed: those of every kind, each object once. One thread. */
public final class KindOptions {
    private final List<Owned> all = new ArrayList<>();

    KindOptions() {
        for (final FabricKind kind : FabricKind.all()) {
            kind.options().forEach(group -> all.add(new Owned(kind, group)));
        }
    }

    private record Owned(FabricKind kind, OptionGroup group) {
    }

    /** The options of a class. */
    public <T> T of(final Class<T> type) {
        return all.stream().map(owned -> owned.group.options()).filter(type::isInstance).map(type::cast).findFirst()
            .orElseThrow();
    }

    /**
     * Adds them to a command.
     *
     * @param ofPackets whether only those that apply to packets from outside.
     */
    public void addTo(final CommandSpec command, final boolean ofPackets) {
        for (final Owned owned : all) {
            if (owned.group.ofPackets() || !ofPackets) {
                command.addMixin(owned.group.options().getClass().getSimpleName(),
                    CommandSpec.forAnnotatedObjectLenient(owned.group.options()));
            }
        }
    }

    /**
     * Refuses what was typed of another kind.
     *
     * @throws dev.skerry.tools.input.InputException for the first such option.
     */
    void refuseForeign(final FabricKind kind) {
        for (final Owned owned : all) {
            if (owned.kind.name().equals(kind.name())) {
                continue;
            }
            for (final OptionSpec option : CommandSpec.forAnnotatedObjectLenient(owned.group.options()).options()) {
                final Object value = option.getValue();
                Choices.refuse(option.longestName(), Boolean.FALSE.equals(value) ? null : value, "an option of "
                    + owned.kind.name() + "; the fabric is " + kind.name(), "leave it out");
            }
        }
    }
}
