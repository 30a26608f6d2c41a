/** An error whose text says to a person what is wrong, unlike a fault of the app. */
export class Explained extends Error {}
