/** Which node is connected to which in every slot: pure functions of the slot number. */
module dev.skerry.schedule {
    exports dev.skerry.schedule;
    exports dev.skerry.schedule.check;
}
