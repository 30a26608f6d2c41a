import { ButtonLink, IconButton } from "../../kit/button.tsx";
import { X } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Loading, Problem } from "../../kit/states.tsx";
import { titleText } from "../../kit/title-text.ts";
import { useDocument } from "../document/data.ts";
import { DocumentContent } from "../document/reading.tsx";
import styles from "./peek.module.css";

type Props = { id: string; title: string; href: string; onOpen: () => void; onClose: () => void };

/** A preview beside the list, which keeps the focus: arrow keys move on to the next preview. */
export default function Peek({ id, title, href, onOpen, onClose }: Props) {
  const { data, error, refetch } = useDocument(id);
  const name = titleText(title);
  // Only for focus inside the preview; the list handles Escape itself.
  useShortcuts({ Escape: onClose });
  return (
    <aside data-beside className={styles.peek} aria-label={`Preview of ${name}`}>
      <header className={styles.head}>
        <h2 dir="auto">{name}</h2>
        <ButtonLink href={href} onPress={onOpen}>
          Open <Key>↵</Key>
        </ButtonLink>
        <IconButton label="Close preview" shortcut="Esc" onPress={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      </header>
      <div key={id} className={styles.text}>
        {error && !data && <Problem problem={error} retry={refetch} />}
        {!data && !error && <Loading />}
        {data && <DocumentContent document={data} />}
      </div>
      <p className="visually-hidden" role="status">
        Preview of {name}
      </p>
    </aside>
  );
}
