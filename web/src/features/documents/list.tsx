import { type FocusEvent, type KeyboardEvent, type Ref, useEffect, useRef } from "react";
import {
  Button,
  ButtonContext,
  Checkbox,
  Collection,
  GridList,
  GridListItem,
  GridListLoadMoreItem,
  ListLayout,
  type Selection,
  useDragAndDrop,
  useSlottedContext,
  Virtualizer,
} from "react-aria-components";
import { useLocation } from "wouter";
import { useMedia } from "../../kit/media.ts";
import { RowLink } from "../../kit/row-link.tsx";
import { titleText } from "../../kit/title-text.ts";
import { currentUrl, saveListPosition } from "../../state/list-positions.ts";
import { DRAGGED_DOCUMENT } from "./dragged.ts";
import { GripVertical } from "./icons.ts";
import styles from "./list.module.css";
import { useListPosition } from "./list-position.ts";
import { listHeight, PAGE_SCROLLS, ROW_HEIGHT } from "./row-height.ts";
import { type RowFacts, RowLines } from "./row-look.tsx";
import { useFittingHeight } from "./use-fitting.ts";

type ListedItem = { id: string; title: string };

export type RowsProps<Item> = {
  label: string;
  items: Item[];
  total: number;
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string> | "all") => void;
  /** The content of a row besides its title. Must be memoized: a new function renders all rows again. */
  facts: (item: Item) => RowFacts;
  href: (item: Item) => string;
  isDraggable?: boolean;
  /** The row previewed beside the list, and its setter; without it, Space selects. */
  peeked?: string | undefined;
  onPeek?: (id: string | undefined) => void;
  hasMore: boolean;
  isLoading: boolean;
  loadMore: () => void;
};

const LAYOUT = { rowHeight: ROW_HEIGHT, loaderHeight: ROW_HEIGHT };

/** For dragging by keyboard. For speed, the button appears with keyboard focus; before, an empty element satisfies React Aria. */
function DragHandle({ title, isWanted }: { title: string; isWanted: boolean }) {
  const ref = useSlottedContext(ButtonContext, "drag")?.ref as Ref<HTMLSpanElement> | undefined;
  if (!isWanted) return <span ref={ref} hidden />;
  return (
    <Button slot="drag" className={styles.drag ?? ""} aria-label={`Drag ${title}`}>
      <GripVertical aria-hidden="true" />
    </Button>
  );
}

type RowProps<Item> = { item: Item; onOpen: (id: string, href: string) => void } & Pick<
  RowsProps<Item>,
  "facts" | "href" | "isDraggable"
>;

function Row<Item extends ListedItem>({ item, facts, href, isDraggable, onOpen }: RowProps<Item>) {
  const title = titleText(item.title);
  const shown = facts(item);
  return (
    <GridListItem
      id={item.id}
      textValue={title}
      className={styles.row ?? ""}
      onAction={() => onOpen(item.id, href(item))}
    >
      {({ isFocusVisibleWithin }) => (
        <>
          {isDraggable && <DragHandle title={title} isWanted={isFocusVisibleWithin} />}
          <Checkbox slot="selection" className={styles.check ?? ""}>
            <span aria-hidden="true" />
          </Checkbox>
          <RowLines facts={shown}>
            <RowLink href={href(item)} className={styles.title}>
              {title}
            </RowLink>
          </RowLines>
          {shown.action && <span className={styles.action}>{shown.action}</span>}
        </>
      )}
    </GridListItem>
  );
}

/**
 * Keeps the focused row visible when moving by keyboard. React Aria scrolls to its element one frame later; if a page of rows
 * arrives in between, the Virtualizer has reused that element for another row and the list would jump there.
 */
function useKeepFocusVisible() {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const show = () => list.current?.querySelector("[role=row]:focus")?.scrollIntoView({ block: "nearest" });
    const press = () => requestAnimationFrame(() => requestAnimationFrame(show));
    const element = list.current;
    element?.addEventListener("keydown", press);
    return () => element?.removeEventListener("keydown", press);
  }, []);
  return list;
}

const focusedRowKey = (target: EventTarget) =>
  target instanceof HTMLElement && target.role === "row" ? target.dataset.key : undefined;

/** Space previews a row, arrow keys preview the next one, Escape closes the preview. */
function usePreviewKeys<Item>({ peeked, onPeek }: RowsProps<Item>) {
  if (!onPeek) return {};
  const take = (event: KeyboardEvent, id: string | undefined) => {
    // In the capture phase: the list would select the row.
    event.preventDefault();
    event.stopPropagation();
    onPeek(id);
  };
  return {
    onKeyDownCapture: (event: KeyboardEvent) => {
      const id = focusedRowKey(event.target);
      if (event.key === " " && id) take(event, id === peeked ? undefined : id);
      if (event.key === "Escape" && peeked) take(event, undefined);
    },
    onFocusCapture: (event: FocusEvent) => {
      const id = focusedRowKey(event.target);
      if (peeked && id && id !== peeked) onPeek(id);
    },
  };
}

/**
 * Below the rows: loads more when less than a screen away. React Aria's own item compares itself with the list, which is
 * shown whole when its page scrolls.
 */
function PageEnd({ isLoading, loadMore }: { isLoading: boolean; loadMore: () => void }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isLoading || !end.current) return undefined;
    const observer = new IntersectionObserver(
      (seen) => seen.some((one) => one.isIntersecting) && loadMore(),
      {
        rootMargin: "100% 0px",
      },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [isLoading, loadMore]);
  return <div ref={end} />;
}

/** A virtualized list of documents. Arrow keys move, Space selects, Enter opens; rows can be dragged to a folder. */
export function DocumentRows<Item extends ListedItem>(props: RowsProps<Item>) {
  const { items, selected, onSelect, facts, href, isDraggable = false } = props;
  const [, navigate] = useLocation();
  const isPageScrolling = useMedia(PAGE_SCROLLS);
  const list = useKeepFocusVisible();
  const fitting = useFittingHeight(list);
  const peeking = usePreviewKeys(props);
  useListPosition(list, isPageScrolling);
  // A page is as long as what is loaded, and becomes longer.
  const rowCount = isPageScrolling ? items.length : props.total;
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) =>
      items
        .filter(({ id }) => keys.has(id))
        .map(({ id, title }) => ({ [DRAGGED_DOCUMENT]: id, "text/plain": title })),
    getAllowedDropOperations: () => ["move"],
  });
  const select = (selection: Selection) =>
    onSelect(selection === "all" ? "all" : (selection as ReadonlySet<string>));
  const open = (id: string, address: string) => {
    saveListPosition(currentUrl(), { opened: id });
    navigate(address);
  };
  return (
    <div className={styles.around} {...peeking}>
      <Virtualizer layout={ListLayout} layoutOptions={LAYOUT}>
        <GridList
          ref={list}
          aria-label={props.label}
          className={styles.list ?? ""}
          data-peeking={props.peeked !== undefined || undefined}
          data-selecting={selected.size > 0 || undefined}
          style={{ height: listHeight(rowCount, isPageScrolling, fitting) }}
          selectionMode="multiple"
          // Letters are shortcuts of the screen.
          disallowTypeAhead
          selectedKeys={selected}
          onSelectionChange={select}
          {...(isDraggable && { dragAndDropHooks })}
        >
          {/* A row renders again only when its item changes. */}
          <Collection items={items} dependencies={[facts, isDraggable]}>
            {(item) => <Row item={item} facts={facts} href={href} isDraggable={isDraggable} onOpen={open} />}
          </Collection>
          {!isPageScrolling && (
            <GridListLoadMoreItem
              isLoading={props.isLoading}
              className={styles.more ?? ""}
              onLoadMore={() => props.hasMore && !props.isLoading && props.loadMore()}
            >
              Loading…
            </GridListLoadMoreItem>
          )}
        </GridList>
      </Virtualizer>
      {isPageScrolling && props.hasMore && (
        // Another one after each page of rows, so that it is looked at again.
        <PageEnd key={items.length} isLoading={props.isLoading} loadMore={props.loadMore} />
      )}
    </div>
  );
}
