import type { ComponentProps, ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";
import { Link } from "wouter";
import { FileInText } from "../files/in-text.tsx";
import { referenceIn } from "../files/reference.ts";
import { places } from "./clicked.ts";
import { Code } from "./code.tsx";
import { recordAt } from "./commitments/link.ts";
import { RecordLink } from "./commitments/record-link.tsx";
import { addressOf, headingIn, isOwnPicture } from "./links.ts";
import styles from "./prose.module.css";
import { anchorOf, headings, slugOf } from "./prose-headings.ts";
import { Box, ListItem } from "./tasks.tsx";

/** Anchors that the renderer itself makes, for footnotes. */
const OWN_ANCHOR = "#user-content-";

const anchorFor = (href: string) =>
  href.startsWith(OWN_ANCHOR) ? href : `#${anchorOf(slugOf(headingIn(href)))}`;

const external = { target: "_blank", rel: "noopener noreferrer nofollow" };

const bare = (address: string) => address.replace(/^(?:https?:\/\/|mailto:)/, "").replace(/\/$/, "");

/** Where a link to another site leads, for paper; undefined if its text says so. */
const leadsTo = (href: string, children: ReactNode): string | undefined =>
  typeof children === "string" && bare(children) === bare(href) ? undefined : href.replace(/^mailto:/, "");

function ScreenLink({ href, children }: { href: string; children: ReactNode }) {
  const number = recordAt(href);
  if (number === undefined) return <Link href={href}>{children}</Link>;
  return (
    <RecordLink href={href} number={number}>
      {children}
    </RecordLink>
  );
}

type AnchorProps = ComponentProps<"a"> & { node?: unknown };

function Anchor({ href = "", children, node: _, ...props }: AnchorProps) {
  const file = referenceIn(href);
  if (file) {
    return (
      <FileInText reference={file} isPicture={false} words={typeof children === "string" ? children : ""}>
        {children}
      </FileInText>
    );
  }
  const address = addressOf(href, location.origin);
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
    <a href={address.href} {...external} data-leads-to={leadsTo(address.href, children)}>
      {children}
    </a>
  );
}

/** Files of the account and pictures of this service are shown; one of another site would tell it who reads, so it is a link. */
function Picture({ src = "", alt }: { src?: string | Blob | undefined; alt?: string | undefined }) {
  const file = referenceIn(String(src));
  if (file) return <FileInText reference={file} isPicture words={alt ?? ""} />;
  const address = addressOf(String(src), location.origin);
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

/** Something wide, which scrolls by itself and can be reached by keyboard for that. Many of a text are no landmarks. */
const Wide = ({ name, children }: { name: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: these are no fields
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable (WCAG 2.1.1)
  <div role="group" className={styles.wide} aria-label={name} tabIndex={0}>
    {children}
  </div>
);

const COMPONENTS: Components = {
  a: Anchor,
  img: ({ src, alt }) => <Picture src={src} alt={alt} />,
  pre: ({ children }) => (
    <Wide name="Code">
      <pre>{children}</pre>
    </Wide>
  ),
  table: ({ children }) => (
    <Wide name="Table">
      <table>{children}</table>
    </Wide>
  ),
  code: ({ className, children }) => <Code className={className}>{children}</Code>,
  li: ListItem,
  input: ({ checked }) => <Box checked={checked} />,
};

/** Somebody's Markdown, rendered. HTML in it is shown as text, and `links.ts` decides what becomes a link. */
export default function Prose({ text, title }: { text: string; title: string }) {
  return (
    <div className={styles.prose}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm, remarkBreaks]}
        rehypePlugins={[[headings, { title }], places]}
        components={COMPONENTS}
        urlTransform={(url) => url}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
