import { useMe } from "../state/queries.ts";
import { browserTimezone, dayIn, fullDay, fullInstant, relativeInstant, shortDay } from "../kit/dates.ts";

/** The person's time zone; until the account is known, the browser's. */
export const useTimezone = (): string => useMe()?.timezone ?? browserTimezone();

/** The calendar day that it is for the person. */
export const useToday = (): string => dayIn(useTimezone());

/** A calendar day in words; in full on hover. */
export const Day = ({ day, children }: { day: string; children?: string }) => {
  const today = useToday();
  return (
    <time dateTime={day} title={fullDay(day)}>
      {children ?? shortDay(day, today)}
    </time>
  );
};

/** How long ago something was; the exact time on hover. */
export const Moment = ({ at }: { at: string }) => {
  const timezone = useTimezone();
  return (
    <time dateTime={at} title={fullInstant(at, timezone)}>
      {relativeInstant(at, timezone)}
    </time>
  );
};
