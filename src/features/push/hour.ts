/** The default hour of the daily notification, in the account's time zone. */
export const PUSH_HOUR = 8;
