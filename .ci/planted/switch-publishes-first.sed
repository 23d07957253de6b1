# A switch publishes its outputs before it writes them
# file dataplane/src/main/java/dev/skerry/dataplane/circuit/CircuitSwitch.java
# stress CircuitSwitchStress.CellOutOfSwitch
/for (long s = from; s < end; s++) {/i\
        for (final LinkBundle.Producer output : outputs) {\
            output.publish(end);\
        }
