import { useQuery } from "@tanstack/react-query";
import { describeReminder } from "../../../../src/contract/reminder-text.ts";
import { formatTime } from "../../../../src/contract/repeat/time-phrase.ts";
import type { Reminders as Settings } from "../../api/reminders.ts";
import { remindersApi } from "../../api/reminders.ts";
import { Button } from "../../kit/button.tsx";
import { Checks, Select } from "../../kit/choices.tsx";
import { FormError } from "../../kit/form.tsx";
import { Section } from "../../kit/section.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { capitalized } from "../../kit/text.ts";
import { useSave } from "../../kit/use-save.ts";
import { queries, refreshResources } from "../../state/queries.ts";
import { findSubscription, startNotifying, stopNotifying, supportsNotifications } from "./notify.ts";
import styles from "./settings.module.css";

const HOURS_A_DAY = 24;
const HOURS = Array.from({ length: HOURS_A_DAY }, (_, hour) => ({
  value: String(hour),
  text: formatTime(hour, 0),
}));
const NEVER = { value: "never", text: "Never" };

type FieldProps = { settings: Settings; save: (change: Partial<Settings>) => void };

const EmailHour = ({ settings, save }: FieldProps) => (
  <div className={styles.narrow}>
    <Select
      label="Daily email"
      value={settings.mail_hour === null ? NEVER.value : String(settings.mail_hour)}
      options={[NEVER, ...HOURS]}
      onChange={(value) => save({ mail_hour: value === NEVER.value ? null : Number(value) })}
    />
  </div>
);

const NO_REMINDER = "none";
const BEFORE = ["PT0S", "PT10M", "PT30M", "PT1H", "P1D"];
const beforeOption = (before: string) => ({ value: before, text: capitalized(describeReminder({ before })) });

/** The default reminder of records with a time, and whether reminders are also sent by email. */
function RecordReminders({
  settings: { remind_before: before, mail_reminders, mail_available },
  save,
}: FieldProps) {
  if (before === undefined) return null;
  const options = before === null || BEFORE.includes(before) ? BEFORE : [before, ...BEFORE];
  return (
    <>
      <div className={styles.narrow}>
        <Select
          label="Default reminder for records with a time"
          value={before ?? NO_REMINDER}
          options={[{ value: NO_REMINDER, text: "None" }, ...options.map(beforeOption)]}
          onChange={(value) => save({ remind_before: value === NO_REMINDER ? null : value })}
        />
      </div>
      <p className={styles.note}>For new records without reminders of their own.</p>
      {mail_available && (
        <Checks
          label="Also send reminders"
          value={mail_reminders ? ["mail"] : []}
          options={[{ value: "mail", text: "By email" }]}
          onChange={(chosen) => save({ mail_reminders: chosen.length > 0 })}
        />
      )}
    </>
  );
}

function ThisBrowser() {
  const { data: subscription, refetch } = useQuery({ queryKey: ["push"], queryFn: findSubscription });
  const { isBusy, problem, run } = useSave(
    subscription ? "Notifications are off in this browser" : "Notifications are on in this browser",
  );
  const change = async () => {
    await run(subscription ? stopNotifying : startNotifying);
    await Promise.all([refetch(), refreshResources("reminders")]);
  };
  return (
    <>
      <FormError>{problem}</FormError>
      <div className="button-row">
        <Button onPress={change} isDisabled={isBusy || subscription === undefined}>
          {subscription ? "Turn off notifications in this browser" : "Turn on notifications in this browser"}
        </Button>
      </div>
    </>
  );
}

export function Reminders() {
  const { data, error, refetch } = useQuery({ queryKey: ["reminders"], queryFn: remindersApi.get });
  const { problem, run } = useSave("Saved");
  const save = (change: Partial<Settings>) =>
    run(async () => queries.setQueryData(["reminders"], await remindersApi.update(change)));
  return (
    <Section
      id="reminders"
      title="Reminders"
      lead="Get reminded when a record is due, and once a day about everything that’s due. Notifications stop when you sign out of this browser."
    >
      {error && <Problem problem={error} retry={refetch} />}
      {!data && !error && <Loading />}
      <FormError>{problem}</FormError>
      {data && <RecordReminders settings={data} save={save} />}
      {data?.mail_available && <EmailHour settings={data} save={save} />}
      {data && supportsNotifications() && (
        <>
          <div className={styles.narrow}>
            <Select
              label="Daily notification"
              value={String(data.push_hour)}
              options={HOURS}
              onChange={(hour) => save({ push_hour: Number(hour) })}
            />
          </div>
          <ThisBrowser />
        </>
      )}
      {data && !supportsNotifications() && (
        <p>
          This browser can’t show notifications. On an iPhone or iPad, add the app to the home screen first.
        </p>
      )}
    </Section>
  );
}
