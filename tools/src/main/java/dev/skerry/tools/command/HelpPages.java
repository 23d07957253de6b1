package dev.skerry.tools.command;

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The help of commands: options in groups. A command with more options than a screen has lines shows the options that
 * most users need, a line each, unless {@code --help-all} asks for all of them.
 */
final class HelpPages implements IHelpSectionRenderer {
    private static final int NAME_COLUMNS = 27;
    private static final int COLUMNS = 100;

    private final boolean all;

    private HelpPages(final boolean all) {
        this.all = all;
    }

    /** Gives a command and those below it such help. */
    static void install(final CommandLine line, final boolean all) {
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new HelpPages(all));
        if (OptionGroups.shortOf(line.getCommandName()) != null) {
            line.getCommandSpec().usageMessage().abbreviateSynopsis(true);
        }
        line.getSubcommands().values().forEach(below -> install(below, all));
    }

    @Override
    public String render(final Help help) {
        final List<String> needed = OptionGroups.shortOf(help.commandSpec().name());
        if (needed == null) {
            return help.optionList();
        }
        return all ? groups(help) : few(help, needed);
    }

    private static String groups(final Help help) {
        final StringBuilder text = new StringBuilder();
        for (final String heading : OptionGroups.headings()) {
            final List<OptionSpec> options = help.commandSpec().options().stream()
                .filter(option -> OptionGroups.of(option.longestName()).equals(heading) && !option.hidden()).toList();
            if (!options.isEmpty()) {
                final Help.Layout layout = help.createDefaultLayout();
                layout.addOptions(options, help.parameterLabelRenderer());
                text.append(help.createHeading("%n@|bold " + heading + "|@%n")).append(layout);
            }
        }
        return text.toString();
    }

    private static String few(final Help help, final List<String> needed) {
        return needed.stream().map(help.commandSpec()::findOption).filter(Objects::nonNull)
            .map(option -> line(help, option)).collect(Collectors.joining())
            + help.createHeading("%nAll " + help.commandSpec().options().size() + " options: "
            + help.commandSpec().qualifiedName() + " --help-all%n");
    }

    /** The option, the first sentence about it, and its default. */
    private static String line(final Help help, final OptionSpec option) {
        final String name = String.format("  %-" + NAME_COLUMNS + "s ", option.longestName()
            + (option.typeInfo().isBoolean() ? "" : "=" + option.paramLabel()));
        final String whole = String.join(" ", option.description())
            .replace("${DEFAULT-VALUE}", Objects.toString(option.defaultValue(), ""));
        final int stop = (whole + " ").indexOf(". ");
        final int usual = whole.indexOf(" (default: ");
        final String first = whole.substring(0, stop < 0 || usual >= 0 && usual < stop ? whole.length() : stop);
        final String said = usual > first.length() ? first + whole.substring(usual, whole.lastIndexOf(')') + 1) : first;
        final int room = COLUMNS - name.length();
        final String fits = said.length() <= room ? said : first.length() <= room ? first
            : first.substring(0, first.lastIndexOf(' ', room - 4)) + " ...";
        return help.colorScheme().text(name.replace(option.longestName(), "@|yellow " + option.longestName() + "|@")
            + fits) + System.lineSeparator();
    }
}
