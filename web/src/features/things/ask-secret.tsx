import { lazy, Suspense, useRef, useState } from "react";
import type { Secret } from "./secret.tsx";

// Asks before saving text that looks like a password, a key or a card number. The patterns are loaded on the first save.

const load = () => import("./secret.tsx");

const Question = lazy(() => load().then(({ SecretQuestion }) => ({ default: SecretQuestion })));

type OpenQuestion = { secret: Secret; text: string };

/** `mayGo` tells whether a text can be saved as it is; if not, show `question`. */
export function useSecretQuestion() {
  const [open, setOpen] = useState<OpenQuestion>();
  const accepted = useRef<string>(undefined);
  const mayGo = async (text: string): Promise<boolean> => {
    if (text === accepted.current) return true;
    // If the patterns cannot be loaded, for example offline, the text is saved without a question.
    const secret = (await load().catch(() => undefined))?.secretAt(text);
    setOpen(secret && { secret, text });
    return secret === undefined;
  };
  const question = (onRemove: (text: string) => void, onKeep: (text: string) => void) =>
    open && (
      <Suspense>
        <Question
          secret={open.secret}
          keep="Save anyway"
          onRemove={async () => {
            setOpen(undefined);
            onRemove((await load()).removeSecret(open.text, open.secret));
          }}
          onKeep={() => {
            setOpen(undefined);
            accepted.current = open.text;
            onKeep(open.text);
          }}
        />
      </Suspense>
    );
  return { mayGo, question, forget: () => setOpen(undefined) };
}
