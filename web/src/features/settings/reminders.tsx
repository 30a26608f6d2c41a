import { useQuery } from "@tanstack/react-query";
import { textOfReminder } from "../../../../src/contract/reminder-text.ts";
import type { Reminders as Settings } from "../../api/reminders.ts";
import { remindersApi } from "../../api/reminders.ts";
import { Button } from "../../kit/button.tsx";
import { capitalized } from "../../kit/capitalized.ts";
import { Checks, Select } from "../../kit/choices.tsx";
import { Section } from "../../kit/section.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { queries, refresh } from "../../state/queries.ts";
import { canNotify, findSubscription, startNotifying, stopNotifying } from "./notify.ts";
import { useSaving } from "./saving.ts";
import styles from "./settings.module.css";

const HOURS_A_DAY = 24;
const hourName = (hour: number) =>
  new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit", timeZone: "UTC" }).format(
    new Date(Date.UTC(2000, 0, 1, hour)),
  );
const HOURS = Array.from({ length: HOURS_A_DAY }, (_, hour) => ({
  value: String(hour),
  text: hourName(hour),
}));
const NEVER = { value: "never", text: "Never" };

type OneProps = { settings: Settings; save: (change: Partial<Settings>) => void };

const MailHour = ({ settings, save }: OneProps) => (
  <div className={styles.narrow}>
    <Select
      label="Daily email"
      value={settings.mail_hour === null ? NEVER.value : String(settings.mail_hour)}
      options={[NEVER, ...HOURS]}
      onChange={(value) => save({ mail_hour: value === NEVER.value ? null : Number(value) })}
    />
  </div>
);

const NOT_REMINDED = "none";
const BEFORE = ["PT0S", "PT10M", "PT30M", "PT1H", "P1D"];
const beforeOption = (before: string) => ({ value: before, text: capitalized(textOfReminder({ before })) });

/** When somebody is reminded of what has an hour and says nothing else, and whether by email, too. */
function OfRecords({ settings: { remind_before: before, mail_reminders, mail_available }, save }: OneProps) {
  if (before === undefined) return null;
  const known = before === null || BEFORE.includes(before) ? BEFORE : [before, ...BEFORE];
  return (
    <>
      <div className={styles.narrow}>
        <Select
          label="Reminder of a record with a time"
          value={before ?? NOT_REMINDED}
          options={[{ value: NOT_REMINDED, text: "None" }, ...known.map(beforeOption)]}
          onChange={(value) => save({ remind_before: value === NOT_REMINDED ? null : value })}
        />
      </div>
      <p className={styles.note}>For new records without reminders of their own.</p>
      {mail_available && (
        <Checks
          label="Where reminders come, besides notifications"
          value={mail_reminders ? ["mail"] : []}
          options={[{ value: "mail", text: "By email" }]}
          onChange={(chosen) => save({ mail_reminders: chosen.length > 0 })}
        />
      )}
    </>
  );
}

/** Whether this browser notifies, with a button that changes it. */
function ThisBrowser() {
  const { data: subscription, refetch } = useQuery({ queryKey: ["push"], queryFn: findSubscription });
  const { isBusy, problem, run } = useSaving(
    subscription ? "No more notifications here" : "This browser will notify you",
  );
  const change = async () => {
    await run(subscription ? stopNotifying : startNotifying);
    await Promise.all([refetch(), refresh("reminders")]);
  };
  return (
    <>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <div className={styles.buttons}>
        <Button onPress={change} isDisabled={isBusy || subscription === undefined}>
          {subscription ? "Stop notifying in this browser" : "Notify me in this browser"}
        </Button>
      </div>
    </>
  );
}

/** When the daily email is sent, and whether this browser shows what is due. */
export function Reminders() {
  const { data, error, refetch } = useQuery({ queryKey: ["reminders"], queryFn: remindersApi.get });
  const { problem, run } = useSaving("Saved");
  const save = (change: Partial<Settings>) =>
    run(async () => queries.setQueryData(["reminders"], await remindersApi.update(change)));
  return (
    <Section
      id="reminders"
      title="Reminders"
      lead="When a record is due, and once a day for everything that is due. Notifications end when you sign out of this browser."
    >
      {error && <Problem problem={error} retry={refetch} />}
      {!data && !error && <Loading />}
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      {data && <OfRecords settings={data} save={save} />}
      {data?.mail_available && <MailHour settings={data} save={save} />}
      {data && canNotify() && (
        <>
          <div className={styles.narrow}>
            <Select
              label="Notifications of what is due today"
              value={String(data.push_hour)}
              options={HOURS}
              onChange={(hour) => save({ push_hour: Number(hour) })}
            />
          </div>
          <ThisBrowser />
        </>
      )}
      {data && !canNotify() && (
        <p>
          This browser shows no notifications. On an iPhone or iPad, add the app to the home screen first.
        </p>
      )}
    </Section>
  );
}
