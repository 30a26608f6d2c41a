/** The drag type of a document. */
export const DRAGGED_DOCUMENT = "application/x-commonplace-document";
