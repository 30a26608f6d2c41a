import { useState } from "react";
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { account, type User } from "../../api/account.ts";
import { Button } from "../../kit/button.tsx";
import choices from "../../kit/choices.module.css";
import { browserTimezone } from "../../kit/dates.ts";
import { Actions } from "../../kit/dialog.tsx";
import field from "../../kit/field.module.css";
import { TextField } from "../../kit/field.tsx";
import { Form, FormError } from "../../kit/form.tsx";
import { Section } from "../../kit/section.tsx";
import { useSave } from "../../kit/use-save.ts";
import { queries, refreshResources } from "../../state/queries.ts";
import styles from "./settings.module.css";

const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")].map((id) => ({
  id,
}));

type ZoneProps = { value: string; onChange: (zone: string) => void };

const TimeZone = ({ value, onChange }: ZoneProps) => (
  <ComboBox
    defaultItems={ZONES}
    value={value}
    onChange={(key) => key !== null && onChange(String(key))}
    className={field.field}
  >
    <Label>Time zone</Label>
    <Input className={field.input} />
    <Popover className={`${choices.popover} ${styles.zones}`}>
      <ListBox>
        {({ id }: { id: string }) => (
          <ListBoxItem id={id} className={choices.option}>
            {id.replaceAll("_", " ")}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  </ComboBox>
);

type DaysProps = { label: string; value: string; onChange: (days: string) => void };

const Days = ({ label, value, onChange }: DaysProps) => (
  <div className={styles.days}>
    <TextField label={label} inputMode="numeric" value={value} onChange={onChange} />
  </div>
);

export function Profile({ me }: { me: User }) {
  const [name, setName] = useState(me.name ?? "");
  const [timezone, setTimezone] = useState(me.timezone);
  const [commitment, setCommitment] = useState(String(me.stale_after_days.commitment));
  const [blocker, setBlocker] = useState(String(me.stale_after_days.blocker));
  const { isBusy, problem, run } = useSave("Saved");
  const save = () =>
    run(async () => {
      const stale = { commitment: Number(commitment), blocker: Number(blocker) };
      const changed = await account.update({ name: name.trim() || null, timezone, stale_after_days: stale });
      queries.setQueryData(["me"], changed);
      await refreshResources("dashboard", "memories");
    });
  const here = browserTimezone();
  return (
    <Section
      id="profile"
      title="Name and time zone"
      lead="Days begin and end in your time zone: it decides what is due today and what is overdue."
    >
      <Form onSubmit={save}>
        <div className={styles.fields}>
          <TextField label="Name" value={name} onChange={setName} autoComplete="name" />
          <div>
            <TimeZone value={timezone} onChange={setTimezone} />
            {here !== timezone && (
              <Button kind="quiet" onPress={() => setTimezone(here)}>
                Use this device’s: {here}
              </Button>
            )}
          </div>
          <Days label="Commitments are stale after (days)" value={commitment} onChange={setCommitment} />
          <Days label="Blockers are stale after (days)" value={blocker} onChange={setBlocker} />
        </div>
        <FormError>{problem}</FormError>
        <Actions>
          <Button type="submit" kind="primary" isDisabled={isBusy}>
            Save
          </Button>
        </Actions>
      </Form>
    </Section>
  );
}
