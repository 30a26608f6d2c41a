import { useState } from "react";
import { account, type User } from "../../api/account.ts";
import { Button } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form } from "../../kit/form.tsx";
import { Section } from "../../kit/section.tsx";
import { Refusal, useProof } from "./proof.tsx";
import { useSaving } from "./saving.ts";
import styles from "./settings.module.css";

/** Asks for the link that confirms the address, until it has been confirmed. */
function Unconfirmed() {
  const { isBusy, problem, run } = useSaving("A link is on its way to you");
  return (
    <div>
      <p>
        You have not confirmed this address yet. Until then, a password reset also ends API keys and passkeys.
      </p>
      <Refusal>{problem}</Refusal>
      <Button onPress={() => run(account.sendVerification)} isDisabled={isBusy}>
        Mail me the link
      </Button>
    </div>
  );
}

/** Changes the email address, which takes effect when the new one has been confirmed. */
export function Email({ me }: { me: User }) {
  const [email, setEmail] = useState("");
  const { fields, proof, isGiven, clear } = useProof();
  const { isBusy, problem, run } = useSaving(`Open the link that was mailed to ${email}`);
  const change = async () => {
    if (!(await run(() => account.changeEmail({ email, ...proof })))) return;
    setEmail("");
    clear();
  };
  return (
    <Section
      id="email"
      title="Email address"
      lead={`You sign in with ${me.email}. A new address takes effect when you open the link mailed to it; from the old one, that can be undone for 7 days.`}
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
        <Refusal>{problem}</Refusal>
        <Actions>
          <Button type="submit" isDisabled={isBusy || !email || !isGiven}>
            Change the address
          </Button>
        </Actions>
      </Form>
    </Section>
  );
}
