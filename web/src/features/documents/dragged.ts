/** What a dragged document is called in a drag's data. */
export const DRAGGED_DOCUMENT = "application/x-commonplace-document";
