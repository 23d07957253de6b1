/** Which node is connected to which in every slot: pure functions of the slot number. */
@SuppressWarnings("module")
module dev.skerry.schedule {
    exports dev.skerry.schedule to dev.skerry.dataplane, dev.skerry.nic, dev.skerry.tools;
    exports dev.skerry.schedule.check to dev.skerry.dataplane, dev.skerry.nic, dev.skerry.tools;
}
