/** The default hour of the daily notification, in the account's time zone. */
export const DEFAULT_PUSH_HOUR = 8;
