# Two workers can take the same bank
# file nic-pipeline/src/main/java/dev/skerry/nic/engine/LockStep.java
# stress BankClaimsStress.OneTaker BankClaimsStress.HandOver
s/LONG\.compareAndSet(takenUntil, bank \* SPACING, before, endOfStride)/claim(bank, endOfStride)/
$i\
    private boolean claim(final int bank, final long endOfStride) {\
        LONG.setOpaque(takenUntil, bank * SPACING, endOfStride);\
        return true;\
    }
