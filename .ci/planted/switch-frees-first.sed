# A switch frees its inputs before it reads them
# file dataplane/src/main/java/dev/skerry/dataplane/circuit/CircuitSwitch.java
# stress CircuitSwitchStress.FullInput
/if (end - from > 1) {/i\
        for (final LinkBundle.Consumer input : inputs) {\
            input.free(end);\
        }
