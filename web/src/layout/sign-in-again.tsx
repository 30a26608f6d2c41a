import { useEffect, useState } from "react";
import { account } from "../api.ts";
import { Button } from "../kit/button.tsx";
import { Actions, Dialog } from "../kit/dialog.tsx";
import { CodeField, TextField } from "../kit/field.tsx";
import { Form } from "../kit/form.tsx";
import { queries, useMe } from "../state/queries.ts";
import { onSignedOut } from "../api/request.ts";

/** A person who has nothing on the screen yet signs in on the page for that, and comes back. */
function leaveToSignIn(): Promise<void> {
  const here = `${location.pathname}${location.search}`;
  location.assign(`/sign-in?to=${encodeURIComponent(here)}`);
  // Never resolves: the page is being left.
  return new Promise(() => {});
}

/**
 * The sign-in over the page when a session ends while it is used: nothing on the page is lost, and every request that
 * waits is repeated afterwards.
 */
export function SignInAgain() {
  const me = useMe();
  const [waiting, setWaiting] = useState<(() => void)[]>([]);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    onSignedOut(() =>
      queries.getQueryData(["me"])
        ? new Promise((resolve) => setWaiting((others) => [...others, resolve]))
        : leaveToSignIn(),
    );
  }, []);
  const submit = async () => {
    try {
      await account.signIn({ email: me?.email ?? "", password, ...(code && { code }) });
      setPassword("");
      setCode("");
      setNeedsCode(false);
      setProblem(undefined);
      setWaiting([]);
      for (const go of waiting) go();
    } catch (refused) {
      const { message } = refused as Error;
      setNeedsCode(needsCode || message.includes("second factor"));
      setProblem(message);
    }
  };
  return (
    <Dialog title="Your session has ended" isOpen={waiting.length > 0} role="alertdialog">
      <Form onSubmit={submit}>
        <p>Sign in as {me?.email} to go on. What you have written is still here.</p>
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={setPassword}
          problem={problem}
        />
        {needsCode && <CodeField value={code} onChange={setCode} />}
        <Actions>
          <Button onPress={() => leaveToSignIn()}>Use another account</Button>
          <Button type="submit" kind="primary">
            Sign in
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
