/** An error whose message is meant for the user, unlike a bug of the app. */
export class Explained extends Error {}
