import { type ReactNode, useEffect, useState } from "react";
import { type CodeLanguage, findCodeLanguage } from "./code-languages.ts";
import type { HighlightedPiece } from "./colour-code.ts";

/** Longer code is not highlighted, because every highlighted piece is an element of the page. */
const MAX_CHARACTERS = 30_000;

type Highlighted = { code: string; pieces: HighlightedPiece[] };

function HighlightedCode({ code, language }: { code: string; language: CodeLanguage }): ReactNode {
  const [coloured, setColoured] = useState<Highlighted>();
  useEffect(() => {
    let isShown = true;
    const colour = async () => {
      const highlighter = await import("./colour-code.ts");
      const pieces = await highlighter.highlightedPieces(code, language);
      if (isShown) setColoured({ code, pieces });
    };
    const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1));
    // If the highlighter cannot be loaded, for example offline, the code stays plain.
    whenIdle(() => isShown && void colour().catch(() => undefined));
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

const LANGUAGE_CLASS = /\blanguage-(\S+)/;

type Props = { id?: string | undefined; className?: string | undefined; children?: ReactNode };

/** Code, highlighted if its block names a language. */
export function Code({ id, className, children }: Props) {
  const language = findCodeLanguage(LANGUAGE_CLASS.exec(className ?? "")?.[1] ?? "");
  const isHighlighted = language && typeof children === "string" && children.length <= MAX_CHARACTERS;
  return (
    <code id={id} className={className}>
      {isHighlighted ? <HighlightedCode code={children} language={language} /> : children}
    </code>
  );
}
