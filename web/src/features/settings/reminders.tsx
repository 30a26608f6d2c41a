import { useQuery } from "@tanstack/react-query";
import type { Reminders as Settings } from "../../api/reminders.ts";
import { remindersApi } from "../../api/reminders.ts";
import { Button } from "../../kit/button.tsx";
import { Select } from "../../kit/choices.tsx";
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

const MailHour = ({ settings, save }: { settings: Settings; save: (change: Partial<Settings>) => void }) => (
  <div className={styles.narrow}>
    <Select
      label="Daily email"
      value={settings.mail_hour === null ? NEVER.value : String(settings.mail_hour)}
      options={[NEVER, ...HOURS]}
      onChange={(value) => save({ mail_hour: value === NEVER.value ? null : Number(value) })}
    />
  </div>
);

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
      lead="Once a day, and only when something is due. Notifications end when you sign out of this browser."
    >
      {error && <Problem problem={error} retry={refetch} />}
      {!data && !error && <Loading />}
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
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
