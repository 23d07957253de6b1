# collect frees a cell when none has come home
# file dataplane/src/main/java/dev/skerry/dataplane/ring/FreeListReturn.java
# stress FreeListReturnStress.CellComesHome
s/i < count; i++/i < Math.max(count, 1); i++/
