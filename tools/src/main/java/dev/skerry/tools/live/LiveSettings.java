package dev.skerry.tools.live;

import dev.skerry.tools.ctl.Order;
import dev.skerry.tools.input.HangUpSignal;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.SettingsFile;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The settings of a dataplane, which can be read again while it runs: the command line as it was typed, with files of
 * options ({@code @FILE}) and tables as they are now. One thread at a time.
 *
 * @param typed the words of the command line, the command's name among them.
 * @param spec  the options as they were read at the start.
 * @param rules what they said of ports and forwarding.
 */
record LiveSettings(String[] typed, CommandSpec spec, LiveReload.Rules rules) {
    private static final String UNCHANGED = "nothing has changed";

    /** Options that may change while a dataplane runs. */
    private static final Set<String> CHANGEABLE = Set.of("--port", "--map", "--mac-table");

    /**
     * Reads them again.
     *
     * @throws InputException if they are wrong, or something has changed that cannot while a dataplane runs.
     */
    LiveReload.Rules read() {
        final String[] words = SettingsFile.expand(typed);
        final int name = Arrays.asList(words).indexOf(spec.name());
        final LiveCommand anew = new LiveCommand(typed);
        final CommandLine line = new CommandLine(anew).setExpandAtFiles(false)
            .setCaseInsensitiveEnumValuesAllowed(true);
        try {
            line.parseArgs(Arrays.copyOfRange(words, name + 1, words.length));
        } catch (final ParameterException e) {
            throw new InputException("reload", "settings", e.getMessage().lines().findFirst().orElse(""),
                UNCHANGED);
        }
        for (final OptionSpec option : spec.options()) {
            // Options of all commands are not read again.
            final OptionSpec again = line.getCommandSpec().findOption(option.longestName());
            final List<String> now = again == null ? option.originalStringValues() : again.originalStringValues();
            if (!CHANGEABLE.contains(option.longestName()) && !option.originalStringValues().equals(now)) {
                throw new InputException("reload", option.longestName(), "it cannot change while a dataplane runs",
                    "start live again; nothing has changed");
            }
        }
        return anew.rules();
    }

    /** Reads them again at each signal HUP, if they are in a file; says what came of it. Close what is returned. */
    HangUpSignal listen(final LiveDesk desk, final PrintWriter err) {
        return Arrays.stream(typed).noneMatch(SettingsFile::isOne) ? null : HangUpSignal.listen(() -> {
            String came;
            try {
                came = "skerry: live: reload: " + desk.carryOut(new Order.Reload()).strip().replace("\n", "; ");
            } catch (final InputException | IllegalStateException e) {
                came = e.getMessage() + (e.getMessage().contains(UNCHANGED) ? "" : "; " + UNCHANGED);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                came = "skerry: live: reload: it was interrupted";
            }
            err.println(came);
            err.flush();
        });
    }
}
