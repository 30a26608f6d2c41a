import { useCallback, useEffect, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { IconButton } from "../../kit/button.tsx";
import filterStyles from "../../kit/filters.module.css";
import { MOD_KEY } from "../../kit/key-name.ts";
import { Screen } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { showOverlay } from "../../state/overlay.ts";
import { addRecentSearch } from "../../state/recent-searches.ts";
import { SearchAnswerView } from "./answer.tsx";
import { SearchBox } from "./box.tsx";
import { FilterBar, KindSwitch } from "./filters.tsx";
import { TextSearch } from "./icons.ts";
import { focusFirstResult } from "./results.tsx";
import styles from "./search.module.css";
import type { SearchKind } from "./search-request.ts";
import { SearchStart } from "./start.tsx";

/** Browsers limit how often a page may change its URL. */
const URL_DELAY_MS = 400;

const parseKind = (text: string | null): SearchKind =>
  text === "documents" || text === "memories" ? text : "all";

const searchPath = (q: string, kind: SearchKind, page: number) => {
  const parameters = new URLSearchParams();
  if (q.trim() !== "") parameters.set("q", q.trim());
  if (kind !== "all") parameters.set("type", kind);
  if (page > 1) parameters.set("page", String(page));
  return parameters.size > 0 ? `/search?${parameters}` : "/search";
};

type Change = { kind?: SearchKind; page?: number };

/** The current query. The URL follows a moment after the screen. */
function useQueryState() {
  const [parameters] = useSearchParams();
  const [, navigate] = useLocation();
  const kind = parseKind(parameters.get("type"));
  const page = Math.max(1, Number.parseInt(parameters.get("page") ?? "1", 10) || 1);
  const urlQuery = parameters.get("q") ?? "";
  const [text, setText] = useState(urlQuery);
  /** The query that this screen last wrote to the URL. A different one comes from a link or from navigating back. */
  const lastWritten = useRef(urlQuery);
  const write = useCallback(
    (q: string, change: Change = {}) => {
      lastWritten.current = q.trim();
      navigate(searchPath(q, change.kind ?? kind, change.page ?? 1), { replace: change.page === undefined });
    },
    [kind, navigate],
  );
  useEffect(() => {
    if (urlQuery === lastWritten.current) return;
    lastWritten.current = urlQuery;
    setText(urlQuery);
  }, [urlQuery]);
  useEffect(() => {
    if (text.trim() === lastWritten.current) return;
    const timer = setTimeout(() => write(text), URL_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text, write]);
  const search = (q: string, change?: Change) => {
    setText(q);
    write(q, change);
  };
  const isWritten = text.trim() === urlQuery.trim();
  return { text, kind, page: isWritten ? page : 1, setText, search, commit: () => isWritten || write(text) };
}

export default function Search() {
  const { text, kind, page, setText, search, commit } = useQueryState();
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ "/": () => field.current?.focus(), j: focusFirstResult });
  return (
    <Screen
      title="Search"
      actions={
        <IconButton
          label="Search or run a command"
          shortcut={`${MOD_KEY}K`}
          onPress={() => showOverlay("palette")}
        >
          <TextSearch />
        </IconButton>
      }
    >
      <div className={styles.head}>
        <SearchBox ref={field} value={text} onChange={setText} onLeave={commit} />
        <div className={filterStyles.bar}>
          <KindSwitch kind={kind} onChange={(next) => search(text, { kind: next })} />
          <FilterBar q={text} onChange={search} />
        </div>
      </div>
      {text.trim() === "" ? (
        <SearchStart onSearch={search} />
      ) : (
        <SearchAnswerView
          request={{ q: text, kind, page }}
          onSearch={search}
          onOpen={() => addRecentSearch(text)}
        />
      )}
    </Screen>
  );
}
