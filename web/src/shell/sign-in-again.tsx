import { useEffect, useRef, useState } from "react";
import { account, type User } from "../api/account.ts";
import { redirect } from "../api/current-account.ts";
import { onSignedOut } from "../api/request.ts";
import { Dialog } from "../kit/dialog.tsx";
import { lazyComponent } from "../kit/lazy-component.tsx";
import { deleteAllCopies } from "../state/copies.ts";
import { queries, useMe } from "../state/queries.ts";
import { forgetRecentItems } from "../state/recent-items.ts";
import { ScreenBoundary } from "./screen-boundary.tsx";

/** Preloaded soon after the first screen (overlays.tsx). */
const SignInForms = lazyComponent(() => import("./sign-in-forms.tsx"));

/** If nothing is on screen yet, the sign-in page is used; it returns here. */
const redirectToSignIn = () =>
  redirect(`/sign-in?to=${encodeURIComponent(`${location.pathname}${location.search}`)}`);

/** The focused element, also inside the shadow root of the editor. */
function focusedElement(): HTMLElement | undefined {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element instanceof HTMLElement && element !== document.body ? element : undefined;
}

/** The closing dialog first returns the focus itself, and cannot find the editor. */
const DIALOG_CLOSE_MS = 100;

const shownAccount = () => queries.getQueryData<User>(["me"])?.id;

/** Whether the session is valid, for instance after signing in in another tab. Leaves the page if it is another account's. */
async function isSessionValid(): Promise<boolean> {
  const id = await account.signedIn();
  if (id && id !== shownAccount()) await redirect("/");
  return id !== undefined;
}

function useOnFocus(isNeeded: boolean, look: () => void) {
  useEffect(() => {
    if (!isNeeded) return;
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  });
}

/**
 * The sign-in dialog for a session that ends while the page is in use. The page is hidden but keeps its state, and waiting
 * requests are repeated afterwards.
 */
export function SignInAgain() {
  const me = useMe();
  const [waiting, setWaiting] = useState<() => void>();
  const focusedBefore = useRef<HTMLElement>(undefined);
  const resume = () => {
    setWaiting(undefined);
    waiting?.();
    setTimeout(() => focusedBefore.current?.focus(), DIALOG_CLOSE_MS);
  };
  useOnFocus(waiting !== undefined, () => void isSessionValid().then((back) => back && resume()));
  useEffect(() => {
    onSignedOut(async () => {
      if (shownAccount() && (await isSessionValid())) return;
      await deleteAllCopies();
      forgetRecentItems();
      if (!shownAccount()) return redirectToSignIn();
      focusedBefore.current = focusedElement();
      await new Promise<void>((resolve) => setWaiting(() => resolve));
    });
  }, []);
  if (!me) return null;
  return (
    <ScreenBoundary isPart>
      <Dialog title="Your session has ended" isOpen={waiting !== undefined} role="alertdialog" isOpaque>
        <p>Sign in as {me.email} to continue. Everything you’ve written is still here.</p>
        <ScreenBoundary isPart>
          <SignInForms me={me} isDone={resume} wait={null} />
        </ScreenBoundary>
      </Dialog>
    </ScreenBoundary>
  );
}
