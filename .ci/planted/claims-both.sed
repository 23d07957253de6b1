# Two workers can take the same bank
# file nic-pipeline/src/main/java/dev/skerry/nic/engine/LockStep.java
# stress BankClaimsStress.OneTaker BankClaimsStress.HandOver
/return before < endOfStride/i\
            if (before < endOfStride) {\
                LONG.setOpaque(takenUntil, bank * SPACING, endOfStride);\
                return true;\
            }
