/// <reference types="vite/types/importMeta.d.ts" />

// The documentation of the repository: README.md, CONTRIBUTING.md and docs/.

const found = import.meta.glob<string>(["../../README.md", "../../CONTRIBUTING.md", "../../docs/*.md"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Each of them by its path from the top of the repository. */
export const GUIDES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(found).map(([path, text]) => [path.replace("../../", ""), text]),
);

export const guideOf = (path: string): string => {
  const text = GUIDES[path];
  if (text === undefined) throw new Error(`There is no ${path}`);
  return text;
};

/** Everything that they say. */
export const EVERYTHING = Object.values(GUIDES).join("\n");

/** A text without its blocks of code, in which `#` begins no heading and brackets are no links. */
export const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "");

/** The blocks of code of one language, in order. */
export const codeOf = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, code = ""]) => code,
  );

/** The anchors of a text, as GitHub derives them from its headings. */
export function anchorsOf(text: string): string[] {
  const headings = [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
