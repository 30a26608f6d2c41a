import { Children, type ComponentProps, isValidElement, type ReactNode } from "react";
import type { ExtraProps } from "react-markdown";
import { createIcon, type Icon } from "../../../kit/icons.tsx";
import { directionOf } from "../direction.ts";
import { textOf } from "../prose-headings.ts";
import styles from "./callout.module.css";
import { calloutKind } from "./callout-kinds.ts";

const icons = new Map<string, Icon>();

function iconOf(path: string): Icon {
  const icon = icons.get(path) ?? createIcon(path);
  icons.set(path, icon);
  return icon;
}

type QuoteProps = ComponentProps<"blockquote"> &
  ExtraProps & { "data-callout"?: string; "data-fold"?: string; "data-titled"?: boolean | string };

/** The title's paragraph, and what follows. */
function divide(children: ReactNode): [title: ComponentProps<"p">, rest: ReactNode[]] {
  const [title, ...rest] = Children.toArray(children).filter((child) => child !== "\n");
  if (!isValidElement<ComponentProps<"p"> & ExtraProps>(title)) return [{}, rest];
  const { node: _, ...props } = title.props;
  return [props, rest];
}

/** A quotation, or a callout with icon and colour, which may fold. */
export function Quote(props: QuoteProps) {
  const {
    node,
    children,
    "data-callout": written,
    "data-fold": fold,
    "data-titled": isTitled,
    ...others
  } = props;
  const content = node?.children ?? [];
  // The name of a callout without a title is not of its words.
  const dir = directionOf(
    content
      .slice(isTitled === false ? 2 : 0)
      .map(textOf)
      .join(""),
  );
  if (written === undefined)
    return (
      <blockquote {...others} dir={dir}>
        {children}
      </blockquote>
    );
  const kind = calloutKind(written);
  const Sign = iconOf(kind.icon);
  const [{ children: words, ...title }, body] = divide(children);
  const head = (
    <>
      <Sign aria-hidden="true" size="1.15em" />
      <span>
        {isTitled && (
          <span className="visually-hidden" dir="ltr">
            {kind.name}:{" "}
          </span>
        )}
        {words}
      </span>
    </>
  );
  if (!fold) {
    return (
      <div id={others.id} className={styles.callout} role="note" dir={dir} data-colour={kind.colour}>
        <p {...title} className={styles.title}>
          {head}
        </p>
        {body.length > 0 && <div className={styles.body}>{body}</div>}
      </div>
    );
  }
  return (
    <details
      id={others.id}
      className={styles.callout}
      dir={dir}
      data-colour={kind.colour}
      open={fold === "+"}
    >
      <summary {...(title as ComponentProps<"summary">)} className={styles.title}>
        {head}
      </summary>
      <div className={styles.body}>{body}</div>
    </details>
  );
}
