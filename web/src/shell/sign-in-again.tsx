import { useEffect, useState } from "react";
import { account, type User } from "../api/account.ts";
import { leavePage } from "../api/holder.ts";
import { isApiError, onSignedOut } from "../api/request.ts";
import { Button } from "../kit/button.tsx";
import { Actions, Dialog } from "../kit/dialog.tsx";
import { CodeField, TextField } from "../kit/field.tsx";
import { Form } from "../kit/form.tsx";
import { dropCopies } from "../state/copies.ts";
import { forgetOpened } from "../state/opened.ts";
import { queries, useMe } from "../state/queries.ts";
import { hasPasskeys, signInWithPasskey } from "./use-passkey.ts";

/** Never resolves: the page is being left. */
const leaveFor = (to: string): Promise<void> => {
  leavePage(to);
  return new Promise(() => {});
};

/** A person who has nothing on the screen yet signs in on the page for that, and comes back. */
const leaveToSignIn = () =>
  leaveFor(`/sign-in?to=${encodeURIComponent(`${location.pathname}${location.search}`)}`);

const shownAccount = () => queries.getQueryData<User>(["me"])?.id;

/** Whether the session is good after all, as after a sign-in in another tab. Leaves the page if it is somebody else's. */
async function isBack(): Promise<boolean> {
  const id = await account.signedIn();
  if (id && id !== shownAccount()) await leaveFor("/");
  return id !== undefined;
}

/** Runs `look` whenever somebody comes back to this tab. */
function useLooking(isNeeded: boolean, look: () => void) {
  useEffect(() => {
    if (!isNeeded) return;
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  });
}

type Field = "password" | "code" | "passkey";
type Refusal = { field: Field; text: string | undefined };

/** What a refused sign-in says to a person. */
function refusalOf(problem: Error): Refusal {
  const code = isApiError(problem) ? problem.code : undefined;
  if (code === "second_factor_required") return { field: "code", text: undefined };
  if (code === "wrong_code") return { field: "code", text: problem.message };
  return {
    field: "password",
    text: code === "wrong_credentials" ? "The password is wrong" : problem.message,
  };
}

type Props = { me: User; isDone: () => void };

/** Signs in with the password, and with a code where the account asks for one. */
function PasswordForm({ me, isDone }: Props) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState<string>();
  const [refusal, setRefusal] = useState<Refusal>();
  const submit = async () => {
    try {
      await account.signIn({ email: me.email, password, ...(code && { code }) });
      isDone();
    } catch (problem) {
      const refused = refusalOf(problem as Error);
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
        <Button onPress={() => leaveFor("/sign-in")}>Use another account</Button>
        <Button type="submit" kind="primary">
          Sign in
        </Button>
      </Actions>
    </Form>
  );
}

/** Signs in with a passkey; one of another account opens that account. */
function PasskeyButton({ me, isDone }: Props) {
  const [problem, setProblem] = useState<string>();
  const use = async () => {
    setProblem(undefined);
    try {
      const { id } = await signInWithPasskey();
      if (id !== me.id) await leaveFor("/");
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

/**
 * The sign-in over the page when a session ends while it is used: nothing on the page is lost or can be read, and every
 * request that waits is repeated afterwards.
 */
export function SignInAgain() {
  const me = useMe();
  const [waiting, setWaiting] = useState<() => void>();
  const goOn = () => {
    setWaiting(undefined);
    waiting?.();
  };
  useLooking(waiting !== undefined, () => void isBack().then((back) => back && goOn()));
  useEffect(() => {
    onSignedOut(async () => {
      if (shownAccount() && (await isBack())) return;
      await dropCopies();
      forgetOpened();
      if (!shownAccount()) return leaveToSignIn();
      await new Promise<void>((resolve) => setWaiting(() => resolve));
    });
  }, []);
  if (!me) return null;
  return (
    <Dialog title="Your session has ended" isOpen={waiting !== undefined} role="alertdialog" isOpaque>
      <p>Sign in as {me.email} to go on. What you have written is still here.</p>
      <PasswordForm me={me} isDone={goOn} />
      {hasPasskeys() && <PasskeyButton me={me} isDone={goOn} />}
    </Dialog>
  );
}
