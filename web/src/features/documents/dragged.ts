export const DRAGGED_DOCUMENT = "application/x-commonplace-document";
