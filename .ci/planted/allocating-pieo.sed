# Every dequeue allocates
# file dataplane/src/main/java/dev/skerry/dataplane/pieo/PieoTournament.java
# gate PieoBenchmark size=64,when=eligible
s/private long arrival;/&\
    private Object kept;/
s/final long key = eligible\.least();/kept = new long[1];\
        &/
