package dev.skerry.house;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The arrows between packages, as {@code docs/architecture.md} draws them: a package uses what stands before it and
 * nothing else, there is no circle, and no simple class name stands twice. Read from the class files, so a full name in
 * the middle of a line counts as an import does.
 */
final class PackageArrowsTest {
    private static final String NIC = "dev.skerry.nic.";
    private static final String TOOLS = "dev.skerry.tools.";
    /**
     * What each group of packages may use of its own module, tools' groups with the name of the module; a group is its
     * package and the packages below it.
     */
    private static final Map<String, Set<String>> MAY_USE = new LinkedHashMap<>();
    /** Read once: it takes seconds. */
    private static final JavaClasses HOUSE = new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .withImportOption(location -> !location.contains("jmh_generated"))
        .importPackages("dev.skerry");

    static {
        MAY_USE.put("count", Set.of());
        MAY_USE.put("flow", Set.of("count"));
        MAY_USE.put("fault", Set.of("flow"));
        MAY_USE.put("fabric", Set.of("flow", "count", "fault"));
        MAY_USE.put("engine", Set.of("fabric", "fault", "flow", "count"));
        MAY_USE.put("packet", Set.of("flow"));
        MAY_USE.put("host", Set.of("flow", "count"));
        MAY_USE.put("shale", Set.of("follow", "model", "fabric", "fault", "flow", "count"));
        MAY_USE.put("shoal", Set.of("follow", "model", "fabric", "fault", "flow", "count"));
        MAY_USE.put("stardust", Set.of("follow", "model", "host", "engine", "packet", "fabric", "fault", "flow",
            "count"));
        MAY_USE.put("fattree", Set.of("host", "engine", "fabric", "fault", "flow", "count"));
        MAY_USE.put("edge", Set.of("packet", "fabric", "flow", "count"));
        MAY_USE.put("model", Set.of("engine", "fabric", "fault", "flow", "count"));
        MAY_USE.put("follow", Set.of("model", "engine", "fabric", "fault", "flow", "count"));
        MAY_USE.put("tools.input", Set.of());
        MAY_USE.put("tools.port", Set.of("tools.input"));
        MAY_USE.put("tools.traffic", Set.of("tools.input"));
        MAY_USE.put("tools.ctl", Set.of("tools.input", "tools.port"));
        MAY_USE.put("tools.stat", Set.of("tools.input", "tools.port", "tools.plot"));
        MAY_USE.put("tools.plot", Set.of());
        MAY_USE.put("tools.report", Set.of("tools.input", "tools.plot"));
        MAY_USE.put("tools.resources", Set.of("tools.input", "tools.report"));
        MAY_USE.put("tools.spi", Set.of("tools.input", "tools.traffic", "tools.report"));
        MAY_USE.put("tools.run", Set.of("tools.spi", "tools.input", "tools.traffic", "tools.report"));
        MAY_USE.put("tools.members", Set.of("tools.input", "tools.report"));
        MAY_USE.put("tools.execution", Set.of("tools.input", "tools.traffic", "tools.report",
            "tools.run", "tools.spi", "tools.members"));
        MAY_USE.put("tools.trace", Set.of("tools.input", "tools.run", "tools.spi"));
        MAY_USE.put("tools.cosim", Set.of("tools.input", "tools.report", "tools.run", "tools.spi", "tools.trace"));
        MAY_USE.put("tools.score", Set.of("tools.input", "tools.traffic", "tools.plot", "tools.report", "tools.trace",
            "tools.run", "tools.spi"));
        MAY_USE.put("tools.figure",
            Set.of("tools.input", "tools.plot", "tools.traffic", "tools.report", "tools.resources", "tools.run",
                "tools.spi", "tools.execution", "tools.sweep"));
        MAY_USE.put("tools.compare",
            Set.of("tools.input", "tools.traffic", "tools.plot", "tools.report", "tools.run", "tools.spi",
                "tools.execution"));
        MAY_USE.put("tools.live", Set.of("tools.input", "tools.port", "tools.plot", "tools.report", "tools.run",
            "tools.spi", "tools.ctl"));
        MAY_USE.put("tools.sweep", Set.of("tools.input", "tools.plot", "tools.report"));
        MAY_USE.put("tools.command", Set.of("tools.input", "tools.plot", "tools.traffic", "tools.report", "tools.run",
            "tools.spi", "tools.execution", "tools.trace", "tools.cosim", "tools.score", "tools.compare",
            "tools.live", "tools.ctl", "tools.stat", "tools.sweep", "tools.members"));
    }

    @Test
    void shouldSeeTheWholeHouse() {
        for (final String module : Set.of("schedule", "codec", "dataplane", "nic", "tools", "bench")) {
            assertTrue(HOUSE.stream().anyMatch(type -> type.getPackageName().startsWith("dev.skerry." + module)),
                module);
        }
    }

    @Test
    void shouldUseOnlyWhatStandsBefore() {
        final Set<String> wrong = new TreeSet<>();
        for (final JavaClass type : HOUSE) {
            final String from = group(type.getPackageName());
            if (from == null) {
                continue;
            }
            assertTrue(MAY_USE.containsKey(from), "no rule for the package: " + type.getPackageName());
            for (final Dependency use : type.getDirectDependenciesFromSelf()) {
                final String to = group(use.getTargetClass().getBaseComponentType().getPackageName());
                if (to != null && !to.equals(from) && to.startsWith("tools.") == from.startsWith("tools.")
                    && !MAY_USE.get(from).contains(to)) {
                    wrong.add(type.getFullName() + " -> " + use.getTargetClass().getFullName());
                }
            }
        }
        assertEquals(Set.of(), wrong);
    }

    /**
     * A fabric is named in packages that bear its name only. Left are benchmarks, the experiments of the papers, the
     * reference engines, of which each fabric has its own, and of co-simulation the devices of Stardust, and what
     * nodes have room for, what their neighbours may send, and the assertions on them.
     */
    @Test
    void shouldNameNoFabricOutsideItsPackages() {
        final Set<String> fabrics = Set.of("shale", "shoal", "stardust", "fattree");
        final Set<String> left = Set.of("bench.", "reference.", "tools.figure.", "tools.cosim.DeviceNode",
            "tools.cosim.DeviceFollowTwin", "tools.cosim.DeviceTwin", "tools.cosim.NodeTwin", "tools.cosim.Stimulus",
            "tools.cosim.ShaleNeighbours", "tools.cosim.ShoalNeighbours", "tools.cosim.SvaCommand");
        final Predicate<String> named = name -> Arrays.stream(name.split("\\.")).anyMatch(fabrics::contains);
        assertEquals(Set.of(), uses(type -> {
            final String from = type.getFullName().substring("dev.skerry.".length());
            return left.stream().noneMatch(from::startsWith) && !named.test(from);
        }, named));
    }

    @Test
    void shouldKeepMechanismsBelowStages() {
        for (final String fabric : Set.of("shale", "shoal")) {
            assertEquals(Set.of(), uses(type -> type.getPackageName().startsWith(NIC + fabric)
                && !type.getPackageName().equals(NIC + fabric + ".stage"),
                name -> name.startsWith(NIC + fabric + ".stage.")));
        }
    }

    @Test
    void shouldHaveNoCircles() {
        slices().matching("dev.skerry.(**)").should().beFreeOfCycles().check(HOUSE);
    }

    /** The public API is excepted: users know a fabric by the name of its paper. */
    @Test
    void shouldGiveEveryClassANameOfItsOwn() {
        final Map<String, String> seen = new TreeMap<>();
        final Set<String> twice = new TreeSet<>();
        for (final JavaClass type : HOUSE) {
            if (type.getEnclosingClass().isPresent() || type.isAnonymousClass()
                || type.getSimpleName().equals("package-info") || type.getFullName().contains("_jmhType")
                || type.getSimpleName().endsWith("_jcstress") || type.getPackageName().equals("dev.skerry")) {
                continue;
            }
            final String other = seen.put(type.getSimpleName(), type.getFullName());
            if (other != null) {
                twice.add(other + " and " + type.getFullName());
            }
        }
        assertFalse(seen.isEmpty());
        assertEquals(Set.of(), twice);
    }

    @Test
    void shouldKeepPortsFreeOfTheCommandLine() {
        assertEquals(Set.of(), uses(type -> type.getPackageName().startsWith(TOOLS + "port"),
            name -> name.startsWith("picocli.")));
    }

    /** What classes of one kind use of another kind. */
    private static Set<String> uses(final Predicate<JavaClass> from, final Predicate<String> to) {
        final Set<String> uses = new TreeSet<>();
        for (final JavaClass type : HOUSE) {
            if (from.test(type)) {
                type.getDirectDependenciesFromSelf().stream().map(use -> use.getTargetClass().getFullName())
                    .filter(to).forEach(name -> uses.add(type.getFullName() + " -> " + name));
            }
        }
        return uses;
    }

    /** The part of a package of nic-pipeline or tools that the rules name; null for any other package. */
    private static String group(final String name) {
        if (name.startsWith("dev.skerry.spi")) {
            return "tools.spi";
        }
        final boolean tools = name.startsWith(TOOLS);
        if (!tools && !name.startsWith(NIC)) {
            return null;
        }
        final String rest = name.substring((tools ? TOOLS : NIC).length());
        final String first = rest.contains(".") ? rest.substring(0, rest.indexOf('.')) : rest;
        return tools ? "tools." + first : first;
    }
}
