import { useCallback, useSyncExternalStore } from "react";
import { lastTimezone } from "../api/current-account.ts";
import { useMe, useMeFailed } from "../state/queries.ts";
import { onMinute } from "./clock.ts";
import {
  browserTimezone,
  dayInZone,
  fullDay,
  fullInstant,
  minuteInZone,
  relativeInstant,
  shortDay,
  shortInstant,
} from "./dates.ts";

/** The user's time zone; the browser's if the account is unknown. */
export const useTimezone = (): string => useMe()?.timezone ?? lastTimezone() ?? browserTimezone();

/** Whether the time zone is known: in a new browser, only after the server has answered. */
export function useIsTimezoneKnown(): boolean {
  const me = useMe();
  const hasFailed = useMeFailed();
  return me !== undefined || hasFailed || lastTimezone() !== undefined;
}

/** The current day in the user's time zone. Updates at midnight. */
export function useToday(): string {
  const timezone = useTimezone();
  return useSyncExternalStore(
    onMinute,
    useCallback(() => dayInZone(timezone), [timezone]),
  );
}

/** The current day and minute in the user's time zone, "2026-11-27T17:00". Rerenders every minute. */
export function useNow(): string {
  const timezone = useTimezone();
  return useSyncExternalStore(
    onMinute,
    useCallback(() => minuteInZone(timezone), [timezone]),
  );
}

/** A calendar day, in full on hover. */
export const Day = ({ day, children }: { day: string; children?: string }) => {
  const today = useToday();
  return (
    <time dateTime={day} title={fullDay(day)}>
      {children ?? shortDay(day, today)}
    </time>
  );
};

type ShortProps = { at: string; timezone: string; today: string };

/** A short time or date; the exact time on hover. */
export const ShortMomentIn = ({ at, timezone, today }: ShortProps) => (
  <time dateTime={at} title={fullInstant(at, timezone)}>
    {shortInstant(at, timezone, today)}
  </time>
);

/** A relative time, in the user's time zone; the exact time on hover. */
export const Moment = ({ at }: { at: string }) => {
  const timezone = useTimezone();
  return (
    <time dateTime={at} title={fullInstant(at, timezone)}>
      {relativeInstant(at, timezone)}
    </time>
  );
};
