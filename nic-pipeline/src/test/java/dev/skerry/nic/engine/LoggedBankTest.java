package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

/** What stands between an engine and a bank hands every question on: a default answer would be another one. */
final class LoggedBankTest {
    @Test
    void shouldHandOnEveryQuestion() {
        assertEquals(List.of(), missing(LoggedBank.class, Bank.class));
        assertEquals(List.of(), missing(LoggedParts.class, FabricParts.class));
    }

    private static List<String> missing(final Class<?> of, final Class<?> asked) {
        return Arrays.stream(asked.getMethods()).filter(method -> !Modifier.isStatic(method.getModifiers()))
            .filter(method -> !declares(of, method)).map(Method::toString).toList();
    }

    private static boolean declares(final Class<?> of, final Method method) {
        return Arrays.stream(of.getDeclaredMethods()).anyMatch(own -> own.getName().equals(method.getName())
            && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
    }
}
