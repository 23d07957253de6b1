package dev.skerry.tools.sweep;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this program is started once more: by this machine's Java, with the options and classes of this process. */
final class ProgramLine {
    private ProgramLine() {
    }

    /** The words up to and with a main class, to which its arguments are added. */
    static List<String> of(final String main, final String... javaOptions) {
        final List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> option.startsWith("-X") || option.startsWith("--sun")).forEach(words::add);
        words.addAll(List.of(javaOptions));
        words.addAll(List.of("--enable-native-access=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", classPath(), main));
        return words;
    }

    /** Tests run on modules, users on a class path. */
    private static String classPath() {
        final String modules = System.getProperty("jdk.module.path");
        final String classes = System.getProperty("java.class.path");
        return modules == null || modules.isEmpty() ? classes : modules + File.pathSeparator + classes;
    }
}
