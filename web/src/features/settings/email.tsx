import { useState } from "react";
import { account, type User } from "../../api/account.ts";
import { Button } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, FormError } from "../../kit/form.tsx";
import { Section } from "../../kit/section.tsx";
import { useSave } from "../../kit/use-save.ts";
import { refreshResources } from "../../state/queries.ts";
import { useProofFields } from "./proof.tsx";
import styles from "./settings.module.css";

function Unconfirmed() {
  const { isBusy, problem, run } = useSave("A link is on its way to you");
  return (
    <div>
      <p>
        You haven’t confirmed this address yet. Until you do, a password reset also removes your API keys and
        passkeys.
      </p>
      <FormError>{problem}</FormError>
      <Button onPress={() => run(account.sendVerification)} isDisabled={isBusy}>
        Email me the link
      </Button>
    </div>
  );
}

/** Changes the email address, which takes effect when the new one has been confirmed. */
export function Email({ me }: { me: User }) {
  const [email, setEmail] = useState("");
  const { fields, proof, isGiven, clear } = useProofFields();
  const { isBusy, problem, run } = useSave(`Open the link we emailed to ${email}`);
  const change = async () => {
    if (!(await run(() => account.changeEmail({ email, ...proof })))) return;
    setEmail("");
    clear();
    await refreshResources("second-factor", "security-events");
  };
  return (
    <Section
      id="email"
      title="Email address"
      lead={`You sign in with ${me.email}. A new address takes effect when you open the link we email to it. You can undo the change from the old address for 7 days.`}
    >
      {me.email_verified_at === null && <Unconfirmed />}
      <Form onSubmit={change}>
        <div className={styles.fields}>
          <TextField
            label="New email address"
            type="email"
            autoComplete="email"
            value={email}
            onChange={setEmail}
          />
          {fields}
        </div>
        <FormError>{problem}</FormError>
        <Actions>
          <Button type="submit" isDisabled={isBusy || !email || !isGiven}>
            Change address
          </Button>
        </Actions>
      </Form>
    </Section>
  );
}
