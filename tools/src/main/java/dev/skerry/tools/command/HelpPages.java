package dev.skerry.tools.command;

import dev.skerry.spi.FabricKind;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The help of commands, with options in groups. For a command with more options than a screen has lines, it shows the
 * options that most users need and all options of the named fabric, one line each; {@code --help-all} shows all
 * options.
 *
 * @param all    whether all options are shown.
 * @param fabric fabric whose options are shown in addition to the common ones; null for those of all fabrics.
 */
record HelpPages(boolean all, String fabric) implements IHelpSectionRenderer {
    /** Heading of options that are not in a group. */
    static final String OWN = "Of this command";
    static final String COMMON = "Common";

    /** Initialised with the first page that has groups, because it would delay every start. */
    private static final class Groups {
        static final Map<String, List<String>> ALL = grouped();
    }

    static final Map<String, List<String>> SHORT = Map.of("run", names("fabric nodes h cc channels topology workload "
        + "load flows slots warm-up drain slowdown faults propagation-ns seed threads mode check out json"), "compare",
        names("fabrics nodes h cc workload load flows time-us warm-up-us no-drain gbps propagation-ns seed threads out "
        + "json"), "live", names("port fabric nodes h map mac-table faults mode threads pin duration slots-per-second "
        + "dir out json"), "rfc2544", names("tx rx pairs sizes packets tests ramp duration trials loss resolution "
        + "fabric nodes h threads out json"), "trace", names("node switch pieo pieo-random range signals format out "
        + "fabric nodes h workload load flows slots seed"));
    private static final int NAME_COLUMNS = 27;
    private static final int COLUMNS = 100;

    /**
     * Installs this help in a command and its subcommands.
     *
     * @param fabric fabric whose options are shown; null for those of all fabrics.
     */
    static void install(final CommandLine line, final boolean all, final String fabric) {
        install(line, new HelpPages(all, fabric));
    }

    private static void install(final CommandLine line, final HelpPages pages) {
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, pages);
        line.getCommandSpec().usageMessage().abbreviateSynopsis(true);
        line.getSubcommands().values().forEach(below -> install(below, pages));
    }

    @Override
    public String render(final Help help) {
        final List<String> needed = SHORT.get(help.commandSpec().name());
        if (needed == null) {
            return help.optionList();
        }
        return all ? groups(help) : few(help, needed);
    }

    private String groups(final Help help) {
        final StringBuilder text = new StringBuilder();
        for (final String heading : Groups.ALL.keySet()) {
            final List<OptionSpec> options = shown(help).stream()
                .filter(option -> group(option.longestName()).equals(heading)).toList();
            if (!options.isEmpty()) {
                final Help.Layout layout = help.createDefaultLayout();
                layout.addOptions(options, help.parameterLabelRenderer());
                text.append(help.createHeading("%n@|bold " + heading + "|@%n")).append(layout);
            }
        }
        return text.toString();
    }

    /** Returns the options common to all fabrics and those of the named fabric, or of all fabrics if none is named. */
    private List<OptionSpec> shown(final Help help) {
        final FabricKind named = named();
        return help.commandSpec().options().stream().filter(option -> !option.hidden() && (named == null
            || isOf(named, option) || FabricKind.all().stream().noneMatch(kind -> isOf(kind, option)))).toList();
    }

    /** Returns the named fabric; null if none is named. */
    private FabricKind named() {
        return FabricKind.all().stream().filter(kind -> kind.name().equals(fabric)).findFirst().orElse(null);
    }

    private static boolean isOf(final FabricKind kind, final OptionSpec option) {
        return kind.shared().contains(option.longestName()) || kind.options().stream()
            .anyMatch(group -> group.heading().equals(group(option.longestName())));
    }

    private String few(final Help help, final List<String> needed) {
        final FabricKind named = named();
        final List<OptionSpec> shown = shown(help);
        final List<OptionSpec> own = shown.stream().filter(option -> named != null && isOf(named, option)).toList();
        final String command = help.commandSpec().qualifiedName();
        return Stream.concat(needed.stream().map(help.commandSpec()::findOption)
            .filter(option -> shown.contains(option) && !own.contains(option)), own.stream())
            .map(option -> line(help, option)).collect(Collectors.joining())
            + help.createHeading("%nAll " + shown.size() + " options: " + command
            + (named == null ? "" : " --fabric " + fabric) + " --help-all%n"
            + (named == null && help.commandSpec().findOption("--fabric") != null
            ? "Options of one fabric: " + command + " --fabric NAME --help%n" : ""));
    }

    /** Returns one line: the option, the first sentence of its description, and its default if it fits. */
    private static String line(final Help help, final OptionSpec option) {
        final String name = String.format("  %-" + NAME_COLUMNS + "s ", option.longestName()
            + (option.typeInfo().isBoolean() ? "" : "=" + option.paramLabel()));
        final String whole = String.join(" ", option.description())
            .replace("${DEFAULT-VALUE}", Objects.toString(option.defaultValue(), ""));
        final int stop = (whole.replaceFirst("\\.$", "") + ". ").indexOf(". ");
        final int usual = whole.indexOf(" (default: ");
        final String first = whole.substring(0, usual < 0 ? stop : Math.min(stop, usual));
        final String said = usual < 0 ? first : first + whole.substring(usual, whole.lastIndexOf(')') + 1);
        final String fits = name.length() + said.length() <= COLUMNS ? said : first;
        return help.colorScheme().text(name.replace(option.longestName(), "@|yellow " + option.longestName() + "|@")
            + fits) + System.lineSeparator();
    }

    /** Returns the heading of an option. */
    static String group(final String option) {
        return Groups.ALL.entrySet().stream().filter(group -> group.getValue().contains(option)).findFirst()
            .map(Map.Entry::getKey).orElse(OWN);
    }

    private static Map<String, List<String>> grouped() {
        final Map<String, List<String>> groups = new LinkedHashMap<>();
        groups.put(OWN, List.of());
        groups.put("Packets", names("port map mac-table mac-age mtu buffer-cells stall-ms when-full queue-target ecn "
            + "class-of class-map slots-per-second real-time duration dir ctl"));
        groups.put("Fabric", names("fabric nodes channels class-bytes failed-nodes faults miss-limit"));
        groups.put("Workload", names("workload load incast-senders flow-bytes groups rounds concurrent skew pair-gbps "
            + "flows size-factor load-factor min-flow-bytes max-flow-bytes read-flows from-first-start"));
        groups.put("Length and measurement", names("slots time-us warm-up warm-up-us drain no-drain slowdown "
            + "max-flows"));
        groups.put("Time and cells", names("slot-ns guard-ns cell-bytes header-bytes "
            + "propagation-ns propagation-slots"));
        for (final FabricKind kind : FabricKind.all()) {
            for (final FabricKind.OptionGroup group : kind.options()) {
                groups.merge(group.heading(), CommandSpec.forAnnotatedObject(group.options()).options().stream()
                    .map(OptionSpec::longestName).toList(),
                    (some, more) -> Stream.concat(some.stream(), more.stream()).distinct().toList());
            }
        }
        groups.put("Engine", names("seed engine mode threads nic-threads switch-threads idle pin check"));
        groups.put("Members: several processes", names("members member cluster member-key member-timeout"));
        groups.put("Checkpoints", names("checkpoint checkpoint-every resume trust-checkpoint"));
        groups.put("Results", names("out json format publish snapshot-slots count-after-epochs"));
        groups.put(COMMON, names("help help-all version verbose quiet"));
        return groups;
    }

    private static List<String> names(final String words) {
        return Arrays.stream(words.split(" ")).map(word -> "--" + word).toList();
    }
}
