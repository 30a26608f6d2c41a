/** The type of a dragged record's data: its id. */
export const DRAGGED_RECORD = "application/x-commonplace-record";
