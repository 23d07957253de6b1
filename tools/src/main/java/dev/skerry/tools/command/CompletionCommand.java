package dev.skerry.tools.command;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.ToolCommand;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

import java.util.List;

/** {@code skerry completion}: prints a script with which a shell completes commands and options. */
@Command(name = "completion", description = {
        "Prints a script for the completion of commands and options in a shell.",
        ""
    },
    footer = {
        "",
        "Example, for the current shell; add the line to its start-up file to keep it:",
        "  source <(./skerry completion bash)",
        "  ./skerry completion fish | source"
    })
final class CompletionCommand extends ToolCommand {
    private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
    String shell;

    @Override
    public Integer call() {
        Choices.refuseIf(!SHELLS.contains(shell), "SHELL", shell, "there is no such choice", "use bash, zsh or fish");
        final CommandLine whole = Skerry.withAllCommands();
        out().print(shell.equals("fish") ? fish(whole) : AutoComplete.bash("skerry", whole));
        out().flush();
        return 0;
    }

    private static String fish(final CommandLine whole) {
        final StringBuilder text = new StringBuilder("complete -c skerry -f -n __fish_use_subcommand\n");
        whole.getSubcommands().forEach((name, command) -> {
            text.append("complete -c skerry -f -n __fish_use_subcommand -a ").append(name).append(" -d ")
                .append(quoted(command.getCommandSpec().usageMessage().description()[0])).append('\n');
            for (final OptionSpec option : command.getCommandSpec().options()) {
                text.append("complete -c skerry -n '__fish_seen_subcommand_from ").append(name).append("' -l ")
                    .append(option.longestName().substring(2)).append(option.typeInfo().isBoolean() ? "" : " -r")
                    .append(candidates(option))
                    .append(" -d ").append(quoted(sentence(option))).append('\n');
            }
        });
        return text.toString();
    }

    /** Returns the values of an option with a fixed set of values. */
    private static String candidates(final OptionSpec option) {
        return option.completionCandidates() == null ? ""
            : " -a " + quoted(String.join(" ", option.completionCandidates()));
    }

    private static String sentence(final OptionSpec option) {
        final String whole = String.join(" ", option.description());
        final int stop = (whole + " ").indexOf(". ");
        return stop < 0 ? whole : whole.substring(0, stop);
    }

    private static String quoted(final String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
