/** At which hour browsers are notified, in the account's time zone, unless another one was chosen. */
export const PUSH_HOUR = 8;
