/** Which node is connected to which in every slot: pure functions of the slot number. */
module dev.skerry.schedule {
    exports dev.skerry.schedule;

    // For images of the state of a model, which read every field.
    opens dev.skerry.schedule;
}
