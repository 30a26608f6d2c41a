import { useCallback, useSyncExternalStore } from "react";
import { keptTimezone } from "../api/holder.ts";
import { useMe, useMeFailed } from "../state/queries.ts";
import { onMinute } from "./clock.ts";
import {
  browserTimezone,
  dayIn,
  fullDay,
  fullInstant,
  minuteIn,
  relativeInstant,
  shortDay,
  shortInstant,
} from "./dates.ts";

/** The person's time zone; the browser's if the account cannot be known. */
export const useTimezone = (): string => useMe()?.timezone ?? keptTimezone() ?? browserTimezone();

/** Whether it is known which day to show: in a browser that is new to the account, only the service can say. */
export function useKnowsDay(): boolean {
  const me = useMe();
  const hasFailed = useMeFailed();
  return me !== undefined || hasFailed || keptTimezone() !== undefined;
}

/** The calendar day that it is for the person, also when the next one has begun. */
export function useToday(): string {
  const timezone = useTimezone();
  return useSyncExternalStore(
    onMinute,
    useCallback(() => dayIn(timezone), [timezone]),
  );
}

/** The day and minute that it is for the person, "2026-11-27T17:00": whoever asks is drawn again every minute. */
export function useNow(): string {
  const timezone = useTimezone();
  return useSyncExternalStore(
    onMinute,
    useCallback(() => minuteIn(timezone), [timezone]),
  );
}

/** A calendar day in words; in full on hover. */
export const Day = ({ day, children }: { day: string; children?: string }) => {
  const today = useToday();
  return (
    <time dateTime={day} title={fullDay(day)}>
      {children ?? shortDay(day, today)}
    </time>
  );
};

/** How long ago something was, in this time zone; the exact time on hover. */
export const MomentIn = ({ at, timezone }: { at: string; timezone: string }) => (
  <time dateTime={at} title={fullInstant(at, timezone)}>
    {relativeInstant(at, timezone)}
  </time>
);

type ShortProps = { at: string; timezone: string; today: string };

/** When something was, as short as possible; the exact time on hover. */
export const ShortMomentIn = ({ at, timezone, today }: ShortProps) => (
  <time dateTime={at} title={fullInstant(at, timezone)}>
    {shortInstant(at, timezone, today)}
  </time>
);

/** How long ago something was, in the person's time zone. */
export const Moment = ({ at }: { at: string }) => <MomentIn at={at} timezone={useTimezone()} />;
