package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A Python program that runs as another, unprivileged user; only root can start one. */
public final class OtherUser implements AutoCloseable {
    private static final String NOBODY = "65534";

    private final Process process;
    private final BufferedReader out;

    private OtherUser(final Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts it, and waits for its first line of output; skips the test where it can't be started. */
    public static OtherUser run(final String program, final String... arguments) throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can start a process of another user");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")) && Files.isExecutable(Path.of("/usr/bin/python3")),
            "there is no setpriv or python3");
        final ProcessBuilder builder = new ProcessBuilder("/usr/bin/setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY,
            "--clear-groups", "/usr/bin/python3", "-c", program);
        builder.command().addAll(List.of(arguments));
        final OtherUser user = new OtherUser(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        user.line();
        return user;
    }

    /** The next line that it prints; null at its end. */
    public String line() throws IOException {
        return out.readLine();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
