import { useState } from "react";
import { account, type User } from "../api/account.ts";
import { redirect } from "../api/current-account.ts";
import { isApiError } from "../api/request.ts";
import { Button } from "../kit/button.tsx";
import { Actions } from "../kit/dialog.tsx";
import { CodeField, TextField } from "../kit/field.tsx";
import { Form } from "../kit/form.tsx";
import { hasPasskeys, signInWithPasskey } from "./use-passkey.ts";

type Field = "password" | "code" | "passkey";
type SignInError = { field: Field; text: string | undefined };

/** The message of a failed sign-in, and its field. */
function signInError(problem: Error): SignInError {
  const code = isApiError(problem) ? problem.code : undefined;
  if (code === "second_factor_required") return { field: "code", text: undefined };
  if (code === "wrong_code") return { field: "code", text: problem.message };
  return { field: "password", text: code === "wrong_credentials" ? "Wrong password" : problem.message };
}

type Props = { me: User; isDone: () => void };

/** Signs in with the password, and with a code if the account requires one. */
function PasswordForm({ me, isDone }: Props) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState<string>();
  const [refusal, setRefusal] = useState<SignInError>();
  const submit = async () => {
    try {
      await account.signIn({ email: me.email, password, ...(code && { code }) });
      isDone();
    } catch (problem) {
      const refused = signInError(problem as Error);
      setRefusal(refused);
      if (refused.field === "code") setCode(code ?? "");
    }
  };
  const problemOf = (field: Field) => (refusal?.field === field ? refusal.text : undefined);
  return (
    <Form onSubmit={() => void submit()}>
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={setPassword}
        problem={problemOf("password")}
      />
      {code !== undefined && (
        <CodeField autoFocus value={code} onChange={setCode} problem={problemOf("code")} />
      )}
      <Actions>
        <Button onPress={() => redirect("/sign-in")}>Use another account</Button>
        <Button type="submit" kind="primary">
          Sign in
        </Button>
      </Actions>
    </Form>
  );
}

/** Signs in with a passkey. A passkey of another account opens that account. */
function PasskeyButton({ me, isDone }: Props) {
  const [problem, setProblem] = useState<string>();
  const use = async () => {
    setProblem(undefined);
    try {
      const { id } = await signInWithPasskey();
      if (id !== me.id) await redirect("/");
      isDone();
    } catch (refused) {
      setProblem((refused as Error).message);
    }
  };
  return (
    <div>
      <Button onPress={() => void use()}>Use a passkey</Button>
      <p role="status">{problem}</p>
    </div>
  );
}

export default function SignInForms(props: Props) {
  return (
    <>
      <PasswordForm {...props} />
      {hasPasskeys() && <PasskeyButton {...props} />}
    </>
  );
}
