import { lazy, useEffect, useRef, useState } from "react";
import { account, type User } from "../api/account.ts";
import { leaveFor } from "../api/holder.ts";
import { onSignedOut } from "../api/request.ts";
import { Dialog } from "../kit/dialog.tsx";
import { dropCopies } from "../state/copies.ts";
import { forgetOpened } from "../state/opened.ts";
import { queries, useMe } from "../state/queries.ts";

/** Loaded soon after the first screen (over.tsx). */
const SignInForms = lazy(() => import("./sign-in-forms.tsx"));

/** A person who has nothing on the screen yet signs in on the page for that, and comes back. */
const leaveToSignIn = () =>
  leaveFor(`/sign-in?to=${encodeURIComponent(`${location.pathname}${location.search}`)}`);

/** What has the focus, also within the editor, whose text is in a shadow root. */
function focused(): HTMLElement | undefined {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element instanceof HTMLElement && element !== document.body ? element : undefined;
}

/** A dialog that is closing gives the focus back first, and does not find the editor. */
const CLOSED_MS = 100;

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

/**
 * The sign-in over the page when a session ends while it is used: nothing on the page is lost or can be read, and every
 * request that waits is repeated afterwards.
 */
export function SignInAgain() {
  const me = useMe();
  const [waiting, setWaiting] = useState<() => void>();
  const before = useRef<HTMLElement>(undefined);
  const goOn = () => {
    setWaiting(undefined);
    waiting?.();
    setTimeout(() => before.current?.focus(), CLOSED_MS);
  };
  useLooking(waiting !== undefined, () => void isBack().then((back) => back && goOn()));
  useEffect(() => {
    onSignedOut(async () => {
      if (shownAccount() && (await isBack())) return;
      await dropCopies();
      forgetOpened();
      if (!shownAccount()) return leaveToSignIn();
      before.current = focused();
      await new Promise<void>((resolve) => setWaiting(() => resolve));
    });
  }, []);
  if (!me) return null;
  return (
    <Dialog title="Your session has ended" isOpen={waiting !== undefined} role="alertdialog" isOpaque>
      <p>Sign in as {me.email} to go on. What you have written is still here.</p>
      <SignInForms me={me} isDone={goOn} />
    </Dialog>
  );
}
