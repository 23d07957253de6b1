package dev.skerry.tools.sweep;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.tools.sweep.SlurmEngine.SlurmFolder.SlurmScript;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The script of a job array beside commands of Slurm that answer as it does: the array's id is that of a task, too. */
@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
final class SlurmScriptTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"75, RUNNING, requeue 42_0", "75, CANCELLED, ''", "1, RUNNING, ''"})
    void shouldQueueTheTaskAgainAndNotTheArray(final int code, final String state, final String asked)
        throws Exception {
        final Path log = folder.resolve("log");
        command("squeue", "case $2 in --jobs=42_0) echo " + state + ";; *) echo RUNNING; echo PENDING;; esac");
        command("scontrol", "echo \"$@\" >>" + log);
        final Path script = Files.writeString(folder.resolve("script"),
            SlurmScript.of(List.of("sh", "-c", "exit " + code), folder, true));
        final ProcessBuilder shell = new ProcessBuilder("sh", script.toString());
        shell.environment().put("PATH", folder + ":" + System.getenv("PATH"));
        shell.environment().put("SLURM_JOB_ID", "42");
        shell.environment().put("SLURM_ARRAY_JOB_ID", "42");
        shell.environment().put("SLURM_ARRAY_TASK_ID", "0");
        assertEquals(code, shell.redirectErrorStream(true).redirectOutput(folder.resolve("out").toFile()).start()
            .waitFor(), Files.readString(folder.resolve("out")));
        assertEquals(asked, Files.exists(log) ? Files.readString(log).strip() : "");
    }

    private void command(final String name, final String does) throws Exception {
        final Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + does + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
