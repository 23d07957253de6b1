package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.DevicePort.TapPort.TapSettings;
import dev.skerry.tools.port.InterfacePort.InterfaceSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DeviceSettingsTest {
    @Test
    void shouldReadNamesAndOptions() {
        assertEquals(new TapSettings("skerry0"), TapSettings.parse("tap:skerry0"));
        assertEquals(new TapSettings("a.b-c_d@15bytes"), TapSettings.parse("tap:a.b-c_d@15bytes"));
        assertEquals(new InterfaceSettings("eth1", true, 16), InterfaceSettings.parse("packet:eth1"));
        final InterfaceSettings all = InterfaceSettings.parse("packet:eth1.7,ring=64,promisc=off");
        assertEquals(new InterfaceSettings("eth1.7", false, 64), all);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "tap | it names no device",
        "tap: | it names no device",
        "tap:0123456789abcdef | the name of an interface has at most 15 characters: '0123456789abcdef'",
        "tap:a/b | 'a/b' is no name of an interface",
        "tap:tap%d | 'tap%d' is no name of an interface",
        "tap:eth0:1 | 'eth0:1' is no name of an interface",
        "tap:.. | '..' is no name of an interface",
        "tap:a b | 'a b' is no name of an interface",
        "tap:\u00e9 | '\u00e9' is no name of an interface",
        "tap:a,up | there is no such part: 'up'",
        "packet | it names no interface",
        "packet:ring=16 | 'ring=16' is no name of an interface",
        "packet:a,ring=3 | ring must be a whole number from 4 to 1024: ring=3",
        "packet:a,promisc=yes | promisc must be on or off: promisc=yes",
        "packet:a,promisc=on,promisc=on | 'promisc=on' repeats an earlier setting",
    })
    void shouldNameWhatIsWrong(final String text, final String why) {
        final InputException error = assertThrows(InputException.class,
            () -> {
                if (text.startsWith("tap")) {
                    TapSettings.parse(text);
                } else {
                    InterfaceSettings.parse(text);
                }
            });
        final String kind = text.split(":", -1)[0];
        final String start = "skerry: " + kind + ": " + text + ": " + why + ", write " + kind + ":";
        assertTrue(error.getMessage().startsWith(start), error.getMessage());
    }
}
