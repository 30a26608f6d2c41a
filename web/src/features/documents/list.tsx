import { type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import {
  Button,
  Checkbox,
  Collection,
  GridList,
  GridListItem,
  GridListLoadMoreItem,
  ListLayout,
  type Selection,
  useDragAndDrop,
  Virtualizer,
} from "react-aria-components";
import { useLocation } from "wouter";
import { GripVertical } from "../../kit/icons.tsx";
import { useMedia } from "../../kit/media.ts";
import { titleText } from "../../kit/title-text.ts";
import { addressNow, leaveAt } from "../../state/way-back.ts";
import styles from "./list.module.css";
import { useListPlace } from "./list-place.ts";

/** What a dragged document is called in a drag's data. */
export const DRAGGED_DOCUMENT = "application/x-commonplace-document";

type Listed = { id: string; title: string };

type Props<Item> = {
  label: string;
  items: Item[];
  total: number;
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string> | "all") => void;
  /** What a row says beside the title. The same function as long as rows say the same. */
  facts: (item: Item) => ReactNode;
  href: (item: Item) => string;
  isDraggable?: boolean;
  hasMore: boolean;
  isLoading: boolean;
  loadMore: () => void;
};

const ROW = { wide: 40, narrow: 60 };
/** Where a row has two lines: its title above, what else it says below. */
export const NARROW = "(max-width: 64rem)";

/** A click that means another tab: the browser follows the link itself, and the row does not hear of it. */
const isForTheBrowser = ({ button, ctrlKey, metaKey }: MouseEvent) => button !== 0 || ctrlKey || metaKey;

const keepFromRow = (event: MouseEvent) => isForTheBrowser(event) && event.stopPropagation();

const leaveToRow = (event: MouseEvent) =>
  isForTheBrowser(event) ? event.stopPropagation() : event.preventDefault();

/** The title is a link for the mouse and its menu. A plain click, like Enter, is the row's: it opens, or selects. */
const RowLink = ({ href, title }: { href: string; title: string }) => (
  <a
    href={href}
    tabIndex={-1}
    draggable={false}
    dir="auto"
    className={styles.title}
    onPointerDown={keepFromRow}
    onMouseDown={keepFromRow}
    onClick={leaveToRow}
  >
    {title}
  </a>
);

type RowProps<Item> = { item: Item; onOpen: (id: string, href: string) => void } & Pick<
  Props<Item>,
  "facts" | "href" | "isDraggable"
>;

function Row<Item extends Listed>({ item, facts, href, isDraggable, onOpen }: RowProps<Item>) {
  const title = titleText(item.title);
  return (
    <GridListItem
      id={item.id}
      textValue={title}
      className={styles.row ?? ""}
      onAction={() => onOpen(item.id, href(item))}
    >
      {isDraggable && (
        <Button slot="drag" className={styles.drag ?? ""} aria-label={`Drag ${title}`}>
          <GripVertical aria-hidden="true" />
        </Button>
      )}
      <Checkbox slot="selection" className={styles.check ?? ""}>
        <span aria-hidden="true" />
      </Checkbox>
      <RowLink href={href(item)} title={title} />
      {facts(item)}
    </GridListItem>
  );
}

/**
 * Keeps the focused row in sight of whoever moves by keyboard. React Aria scrolls to its element one frame later; when a
 * page of rows arrives in between, the Virtualizer has given that element to another row, and the list jumps there.
 */
function useFocusInSight() {
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

/**
 * Documents as rows, of which only those in sight are in the page. Arrows move, space selects, Enter opens; rows can be
 * dragged to a folder, by keyboard too.
 */
export function DocumentRows<Item extends Listed>(props: Props<Item>) {
  const { items, selected, onSelect, facts, href, isDraggable = false } = props;
  const [, navigate] = useLocation();
  const isPhone = useMedia("(max-width: 48rem)");
  const rowHeight = useMedia(NARROW) ? ROW.narrow : ROW.wide;
  const list = useFocusInSight();
  useListPlace(list);
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
    leaveAt(addressNow(), { opened: id });
    navigate(address);
  };
  return (
    <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight, loaderHeight: rowHeight }}>
      <GridList
        ref={list}
        aria-label={props.label}
        className={styles.list ?? ""}
        style={{ height: `min(${props.total * rowHeight + 1}px, calc(100dvh - ${isPhone ? 17 : 13}rem))` }}
        selectionMode="multiple"
        // Letters are the screen's shortcuts.
        disallowTypeAhead
        selectedKeys={selected}
        onSelectionChange={select}
        {...(isDraggable && { dragAndDropHooks })}
      >
        {/* A row is made anew only when its item is another one. */}
        <Collection items={items} dependencies={[facts, isDraggable]}>
          {(item) => <Row item={item} facts={facts} href={href} isDraggable={isDraggable} onOpen={open} />}
        </Collection>
        <GridListLoadMoreItem
          isLoading={props.isLoading}
          className={styles.more ?? ""}
          onLoadMore={() => props.hasMore && !props.isLoading && props.loadMore()}
        >
          Loading…
        </GridListLoadMoreItem>
      </GridList>
    </Virtualizer>
  );
}
