import { lazy, Suspense, useRef, useState } from "react";
import type { Secret } from "./secret.tsx";

// What looks like a password, a key or a card number is asked about before it is saved. The forms of secrets are loaded
// when something is saved for the first time.

const load = () => import("./secret.tsx");

const Question = lazy(() => load().then(({ SecretQuestion }) => ({ default: SecretQuestion })));

type Asked = { secret: Secret; text: string };

/** Asks about secrets in a text. `mayGo` says whether it can be saved as it is; otherwise `question` is to be shown. */
export function useSecretQuestion() {
  const [asked, setAsked] = useState<Asked>();
  const kept = useRef<string>(undefined);
  const mayGo = async (text: string): Promise<boolean> => {
    if (text === kept.current) return true;
    // Without the forms, such as without a network, nothing is asked.
    const secret = (await load().catch(() => undefined))?.secretAt(text);
    setAsked(secret && { secret, text });
    return secret === undefined;
  };
  const question = (onTakeOut: (text: string) => void, onKeep: (text: string) => void) =>
    asked && (
      <Suspense>
        <Question
          secret={asked.secret}
          keep="Save anyway"
          onTakeOut={async () => {
            setAsked(undefined);
            onTakeOut((await load()).without(asked.text, asked.secret));
          }}
          onKeep={() => {
            setAsked(undefined);
            kept.current = asked.text;
            onKeep(asked.text);
          }}
        />
      </Suspense>
    );
  return { mayGo, question, forget: () => setAsked(undefined) };
}
