import { useState } from "react";
import { account } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Actions } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { Section } from "../parts/section.tsx";
import { refresh } from "../queries.ts";
import { useSaving } from "./saving.ts";
import styles from "./settings.module.css";

/** Changes the password. Everybody who knew the old one is signed out with it. */
export function Password() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { isBusy, problem, run } = useSaving("Your password is changed");
  const change = async () => {
    const done = await run(() => account.changePassword({ current_password: current, new_password: next }));
    if (!done) return;
    setCurrent("");
    setNext("");
    await refresh("sessions", "connections");
  };
  return (
    <Section
      title="Password"
      lead="Changing it signs you out everywhere else and disconnects every assistant. API keys stay valid."
    >
      <Form onSubmit={change}>
        <div className={styles.fields}>
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
          />
          <TextField
            label="New password"
            hint="At least 8 characters"
            type="password"
            autoComplete="new-password"
            value={next}
            onChange={setNext}
          />
        </div>
        {problem && (
          <p className={styles.problem} role="alert">
            {problem}
          </p>
        )}
        <Actions>
          <Button type="submit" isDisabled={isBusy || !current || !next}>
            Change the password
          </Button>
        </Actions>
      </Form>
    </Section>
  );
}
