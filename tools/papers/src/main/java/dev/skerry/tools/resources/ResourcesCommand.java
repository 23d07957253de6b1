package dev.skerry.tools.resources;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.PartCommand;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.ResourceTable;
import dev.skerry.tools.resources.CostModel.AreaPart;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * {@code skerry resources}: the resources and limits of Stardust, Shoal and an end host of Shale, by the papers'
 * formulas.
 */
@Command(
    name = "resources",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
        "Computes resources and costs of the fabrics by the formulas of the papers.",
        "",
        "Nothing is simulated: devices, links, hosts, memory, cost, power, latency, queues and recovery times are "
            + "computed from a few parameters. FA is a Fabric Adapter (in place of a top-of-rack switch), FE a Fabric "
            + "Element (in place of a fabric switch).",
        ""
    },
    footer = {
        "",
        "Example, devices and cost of networks of your size:",
        "  ./skerry resources scaling cost --hosts 3000,60000"
    })
public final class ResourcesCommand implements PartCommand {
    private static final double NO_RATIO = -1;
    private static final String MEASURED = "--measured";

    @Parameters(paramLabel = "TOPIC", arity = "0..*",
        description = "Topics: scaling (Table 2, Figure 2), parallelism (Figures 3 and 8a), cost (area, cost and "
            + "power, Figure 11), memory (memory and credits), queue (queues before links), healing (recovery times), "
            + "shale (memory of an end host, Figure 7), shoal (memory, latency, power and cost) (default: all).")
    List<Topic> topics = new ArrayList<>();

    @Option(names = "--hosts", paramLabel = "N", split = ",", defaultValue = "10000,100000,1000000",
        description = "Network sizes in hosts, for scaling, cost and healing (default: ${DEFAULT-VALUE}).")
    long[] hosts;

    @Option(names = "--utilization", paramLabel = "R", split = ",", defaultValue = "0.66,0.80,0.90,0.92,0.95",
        description = "Link utilisations, 0 to 1, for queue (default: ${DEFAULT-VALUE}).")
    double[] utilizations;

    @Option(names = "--element-ratio", paramLabel = "R",
        description = "Cost and power of an FE relative to those of a switch (default: 0.667, or what --area gives).")
    double elementRatio = NO_RATIO;

    @Option(names = "--area", paramLabel = "NAME:SHARE:SAVING", split = ",",
        description = "Parts of a switch chip: name, share of its area, and the fraction of that part that an FE "
            + "saves. The shares sum to 1; the paper prints only two of the savings.")
    List<String> area = new ArrayList<>();

    @Option(names = MEASURED, paramLabel = "FILE",
        description = "For shale: summary.json of a run whose limits are too high to be reached, such as "
            + "--token-fifo 1000000. Its maxima are printed beside the formulas (default: maxima of a run of 10,000 "
            + "nodes).")
    Path measured;

    @Option(names = "--json", description = "Print one JSON object with an array of objects for each table.")
    boolean json;

    @Spec
    CommandSpec spec;

    /** The topics to choose from. */
    enum Topic { SCALING, PARALLELISM, COST, MEMORY, QUEUE, HEALING, SHALE, SHOAL }

    @Override
    public Integer call() {
        for (final long count : hosts) {
            Choices.refuseIf(count < 1 || count > NetworkPlan.MAX_HOSTS, "--hosts", count, "a network has 1 to "
                + NetworkPlan.MAX_HOSTS + " hosts", "give a number in this range");
        }
        for (final double utilization : utilizations) {
            Choices.refuseIf(!(utilization > 0 && utilization <= QueueModel.MAX_UTILIZATION), "--utilization",
                utilization, "the queue is not steady, or it is very long", "give a number above 0 and up to "
                + QueueModel.MAX_UTILIZATION);
        }
        final CostModel cost = costModel();
        final List<ResourceTable> tables = new ArrayList<>();
        final Set<Topic> chosen = topics.isEmpty() ? EnumSet.allOf(Topic.class) : EnumSet.copyOf(topics);
        Choices.refuseIf(measured != null && !chosen.contains(Topic.SHALE), MEASURED, measured,
            "only the topic shale is measured", "leave it out or add shale");
        for (final Topic topic : chosen) {
            tables.addAll(switch (topic) {
                case SCALING -> ResourceTables.scaling(hosts);
                case PARALLELISM -> ResourceTables.parallelism();
                case COST -> ResourceTables.cost(cost, hosts);
                case MEMORY -> ResourceTables.memory();
                case QUEUE -> ResourceTables.queue(utilizations);
                case HEALING -> ResourceTables.healing(hosts);
                case SHALE -> shale();
                case SHOAL -> ResourceTables.shoal();
            });
        }
        print(tables);
        return 0;
    }

    private List<ResourceTable> shale() {
        final List<ResourceTable> tables = new ArrayList<>(measured != null
            ? MeasuredHost.read(MEASURED, measured).tables() : MeasuredHost.PAPER_SIZE.tables());
        tables.add(MeasuredHost.figure7(MeasuredHost.FIGURE_13));
        return tables;
    }

    private void print(final List<ResourceTable> tables) {
        final PrintWriter out = spec.commandLine().getOut();
        if (json) {
            final Json text = Json.document();
            tables.forEach(table -> table.write(text));
            out.print(text.close('}'));
        } else {
            String between = "";
            for (final ResourceTable table : tables) {
                out.print(between + table);
                between = "\n";
            }
        }
        out.flush();
    }

    private CostModel costModel() {
        if (elementRatio == NO_RATIO) {
            return area.isEmpty() ? CostModel.PAPER : new CostModel(areaRatio());
        }
        Choices.refuseIf(!area.isEmpty(), "--element-ratio", elementRatio, "--area gives it too",
            "leave one of them out");
        Choices.refuseIf(!(elementRatio > 0) || Double.isInfinite(elementRatio), "--element-ratio", elementRatio,
            "the ratio must be above 0", "give a number above 0");
        return new CostModel(elementRatio);
    }

    private double areaRatio() {
        final List<AreaPart> parts = new ArrayList<>();
        for (final String text : area) {
            final String[] fields = text.split(":", -1);
            try {
                if (fields.length != 3) {
                    throw new IllegalArgumentException("it does not have three fields");
                }
                parts.add(new AreaPart(fields[0], Double.parseDouble(fields[1]), Double.parseDouble(fields[2])));
            } catch (final IllegalArgumentException e) {
                throw new InputException("--area", text, e.getMessage(), "give NAME:SHARE:SAVING, such as io:0.25:0");
            }
        }
        try {
            final double ratio = AreaPart.element(parts);
            if (!(ratio > 0)) {
                throw new IllegalArgumentException("the savings leave nothing of the chip");
            }
            return ratio;
        } catch (final IllegalArgumentException e) {
            throw new InputException("--area", String.join(",", area), e.getMessage(), "give parts whose shares sum "
                + "to 1");
        }
    }
}
