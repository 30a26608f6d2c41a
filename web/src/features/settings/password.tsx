import { useState } from "react";
import { account } from "../../api/account.ts";
import { Button } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, FormError } from "../../kit/form.tsx";
import { Section } from "../../kit/section.tsx";
import { useSave } from "../../kit/use-save.ts";
import { refreshResources } from "../../state/queries.ts";
import { useProofFields } from "./proof.tsx";
import styles from "./settings.module.css";

/** Changes the password, which ends all other sessions. */
export function Password() {
  const { fields, proof, isGiven, clear } = useProofFields({ label: "Current password" });
  const [next, setNext] = useState("");
  const { isBusy, problem, run } = useSave("Password changed");
  const change = async () => {
    const { password: current_password, ...code } = proof;
    const done = await run(() => account.changePassword({ current_password, new_password: next, ...code }));
    if (!done) return;
    clear();
    setNext("");
    await refreshResources("sessions", "connections", "second-factor", "security-events");
  };
  return (
    <Section
      id="password"
      title="Password"
      lead="Changing it signs you out everywhere else and disconnects every assistant. API keys still work."
    >
      <Form onSubmit={change}>
        <div className={styles.fields}>
          {fields}
          <TextField
            label="New password"
            hint="At least 8 characters"
            type="password"
            autoComplete="new-password"
            value={next}
            onChange={setNext}
          />
        </div>
        <FormError>{problem}</FormError>
        <Actions>
          <Button type="submit" isDisabled={isBusy || !isGiven || !next}>
            Change password
          </Button>
        </Actions>
      </Form>
    </Section>
  );
}
