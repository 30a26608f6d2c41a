import { type ReactNode, useEffect, useState } from "react";
import { type CodeLanguage, languageNamed } from "./code-languages.ts";
import type { Piece } from "./colour-code.ts";

/** Longer code stays as it is: nobody waits for its colours, and every piece is an element of the page. */
const MOST_CHARACTERS = 30_000;

type Coloured = { code: string; pieces: Piece[] };

/** Code in colours, once the page has time for them. */
function InColours({ code, language }: { code: string; language: CodeLanguage }): ReactNode {
  const [coloured, setColoured] = useState<Coloured>();
  useEffect(() => {
    let isShown = true;
    const colour = async () => {
      const { colouredPieces } = await import("./colour-code.ts");
      const pieces = await colouredPieces(code, language);
      if (isShown) setColoured({ code, pieces });
    };
    const soon = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1));
    // What cannot be loaded without a network leaves the code without colours.
    soon(() => isShown && void colour().catch(() => undefined));
    return () => {
      isShown = false;
    };
  }, [code, language]);
  if (coloured?.code !== code) return code;
  return coloured.pieces.map(({ text, classes }, index) =>
    classes === "" ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no identity
      <span key={index} className={classes}>
        {text}
      </span>
    ),
  );
}

const NAME = /\blanguage-(\S+)/;

type Props = { className?: string | undefined; children?: ReactNode };

/** Code, in the colours of its language if it is in a block that names one. */
export function Code({ className, children }: Props) {
  const language = languageNamed(NAME.exec(className ?? "")?.[1] ?? "");
  const isColoured = language && typeof children === "string" && children.length <= MOST_CHARACTERS;
  return (
    <code className={className}>
      {isColoured ? <InColours code={children} language={language} /> : children}
    </code>
  );
}
