import { Button } from "./button.tsx";
import styles from "./pages.module.css";
import { formatCount } from "./text.ts";

type Props = { total: number; size: number; page: number; onPage: (page: number) => void };

/** Pagination of a list. Renders nothing for a single page. */
export function Pages({ total, size, page, onPage }: Props) {
  const last = Math.ceil(total / size);
  if (last <= 1) return null;
  const go = (to: number) => {
    onPage(to);
    scrollTo({ top: 0 });
  };
  return (
    <nav className={styles.pages} aria-label="Pages">
      <Button isDisabled={page <= 1} onPress={() => go(page - 1)}>
        Previous
      </Button>
      <span>
        Page {page} of {formatCount(last)}
      </span>
      <Button isDisabled={page >= last} onPress={() => go(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
