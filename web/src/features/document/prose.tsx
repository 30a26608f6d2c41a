import type { ComponentProps, ReactNode } from "react";
import ReactMarkdown, { type Components, type ExtraProps } from "react-markdown";
import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";
import { Link } from "wouter";
import { FileInText } from "../files/in-text.tsx";
import { parseFileReference } from "../files/reference.ts";
import { markOffsets } from "./clicked-offset.ts";
import { Code } from "./code.tsx";
import { recordIdFromPath } from "./commitments/link.ts";
import { RecordLink } from "./commitments/record-link.tsx";
import { lineBreakTags } from "./line-break-tags.ts";
import { headingFromHash, isOwnPicture, resolveLink } from "./links.ts";
import styles from "./prose.module.css";
import { addHeadingIds, headingId, headingSlug } from "./prose-headings.ts";
import { ListItem, TaskCheckbox } from "./tasks.tsx";

/** Prefix of the anchors that the renderer creates for footnotes. */
const OWN_ANCHOR = "#user-content-";

const anchorFor = (href: string) =>
  href.startsWith(OWN_ANCHOR) ? href : `#${headingId(headingSlug(headingFromHash(href)))}`;

const external = { target: "_blank", rel: "noopener noreferrer nofollow" };

const withoutScheme = (url: string) => url.replace(/^(?:https?:\/\/|mailto:)/, "").replace(/\/$/, "");

/** The URL to print after a link to another site; undefined if the link's text is the URL. */
const printedUrl = (href: string, children: ReactNode): string | undefined =>
  typeof children === "string" && withoutScheme(children) === withoutScheme(href)
    ? undefined
    : href.replace(/^mailto:/, "");

function ScreenLink({ href, children }: { href: string; children: ReactNode }) {
  const number = recordIdFromPath(href);
  if (number === undefined) return <Link href={href}>{children}</Link>;
  return (
    <RecordLink href={href} number={number}>
      {children}
    </RecordLink>
  );
}

function Anchor({ href = "", children, node: _, ...props }: ComponentProps<"a"> & ExtraProps) {
  const file = parseFileReference(href);
  if (file) {
    return (
      <FileInText reference={file} isPicture={false} words={typeof children === "string" ? children : ""}>
        {children}
      </FileInText>
    );
  }
  const address = resolveLink(href, location.origin);
  if (address.kind === "refused") return <span>{children}</span>;
  if (address.kind === "screen") return <ScreenLink href={address.href}>{children}</ScreenLink>;
  if (address.kind === "anchor") {
    return (
      <a {...props} href={anchorFor(href)}>
        {children}
      </a>
    );
  }
  if (address.kind === "here") return <a href={address.href}>{children}</a>;
  return (
    <a href={address.href} {...external} data-leads-to={printedUrl(address.href, children)}>
      {children}
    </a>
  );
}

/** Shows files of the account and pictures of this service. A picture of another site, which would learn who reads, is a link. */
function Picture({ src = "", alt }: { src?: string | Blob | undefined; alt?: string | undefined }) {
  const file = parseFileReference(String(src));
  if (file) return <FileInText reference={file} isPicture words={alt ?? ""} />;
  const address = resolveLink(String(src), location.origin);
  if (isOwnPicture(address)) return <img src={address.href} alt={alt ?? ""} />;
  if (address.kind !== "elsewhere")
    return (
      <span className={styles.picture} data-picture>
        Picture: {alt}
      </span>
    );
  return (
    <a href={address.href} {...external} className={styles.picture} data-picture>
      Picture: {alt || new URL(address.href).host}
    </a>
  );
}

/** Wide content that scrolls and can be focused for that. A group, because a text may have too many for landmarks. */
const ScrollArea = ({ name, children }: { name: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: not a group of form fields
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable (WCAG 2.1.1)
  <div role="group" className={styles.wide} aria-label={name} tabIndex={0}>
    {children}
  </div>
);

const COMPONENTS: Components = {
  a: Anchor,
  img: Picture,
  pre: ({ children }) => (
    <ScrollArea name="Code">
      <pre>{children}</pre>
    </ScrollArea>
  ),
  table: ({ children }) => (
    <ScrollArea name="Table">
      <table>{children}</table>
    </ScrollArea>
  ),
  code: Code,
  li: ListItem,
  input: TaskCheckbox,
};

/** Rendered Markdown. HTML in it is shown as text, and `links.ts` decides which URLs become links. */
export default function Prose({ text, title }: { text: string; title: string }) {
  return (
    <div className={styles.prose}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm, remarkBreaks, lineBreakTags]}
        rehypePlugins={[[addHeadingIds, { title }], markOffsets]}
        components={COMPONENTS}
        urlTransform={(url) => url}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
