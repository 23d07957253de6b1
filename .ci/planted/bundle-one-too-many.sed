# The consumer sees one slot more than published
# file dataplane/src/main/java/dev/skerry/dataplane/ring/LinkBundle.java
# stress LinkBundleStress.WholeRow LinkBundleStress.Order LinkBundleStress.Batch CircuitSwitchStress.CellIntoSwitch
s/limit = (long) LONG\.getAcquire(positions, TAIL_OFFSET)/& + 1/
