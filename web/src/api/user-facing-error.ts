/** An error whose message is meant for the user, unlike a bug of the app. */
export class UserFacingError extends Error {}
