# A switch publishes its outputs before it writes them
# file dataplane/src/main/java/dev/skerry/dataplane/circuit/CircuitSwitch.java
# stress CircuitSwitchStress.CellOutOfSwitch
/if (end - from > 1) {/i\
        for (final LinkBundle.Producer output : outputs) {\
            output.publish(end);\
        }
