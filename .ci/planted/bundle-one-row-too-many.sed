# The producer sees one row more than free
# file dataplane/src/main/java/dev/skerry/dataplane/ring/LinkBundle.java
# stress LinkBundleStress.FullLink LinkBundleStress.FreedTogether CircuitSwitchStress.FullOutput
s/LONG\.getAcquire(positions, HEAD_OFFSET) + rows\.rows()/& + 1/
