import { GripVertical } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import {
  Button,
  Checkbox,
  GridList,
  GridListItem,
  GridListLoadMoreItem,
  ListLayout,
  type Selection,
  useDragAndDrop,
  Virtualizer,
} from "react-aria-components";
import styles from "./list.module.css";
import { useMedia } from "../../kit/media.ts";

/** What a dragged document is called in a drag's data. */
export const DRAGGED_DOCUMENT = "application/x-commonplace-document";

type Listed = { id: string; title: string };

type Props<Item> = {
  label: string;
  items: Item[];
  total: number;
  selected: ReadonlySet<string>;
  onSelect: (ids: Set<string>) => void;
  /** What a row says beside the title. */
  facts: (item: Item) => ReactNode;
  href?: (item: Item) => string;
  isDraggable?: boolean;
  hasMore: boolean;
  isLoading: boolean;
  loadMore: () => void;
};

const ROW = { desk: 40, phone: 60 };

function Row<Item extends Listed>({
  item,
  facts,
  href,
  isDraggable,
}: { item: Item } & Pick<Props<Item>, "facts" | "href" | "isDraggable">) {
  return (
    <GridListItem
      id={item.id}
      textValue={item.title}
      className={styles.row ?? ""}
      {...(href && { href: href(item) })}
    >
      {isDraggable && (
        <Button slot="drag" className={styles.drag ?? ""} aria-label={`Drag ${item.title}`}>
          <GripVertical aria-hidden="true" />
        </Button>
      )}
      <Checkbox slot="selection" className={styles.check ?? ""}>
        <span aria-hidden="true" />
      </Checkbox>
      <span className={styles.title}>{item.title}</span>
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
  const isPhone = useMedia("(max-width: 48rem)");
  const rowHeight = isPhone ? ROW.phone : ROW.desk;
  const list = useFocusInSight();
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) =>
      items
        .filter(({ id }) => keys.has(id))
        .map(({ id, title }) => ({ [DRAGGED_DOCUMENT]: id, "text/plain": title })),
    getAllowedDropOperations: () => ["move"],
  });
  const select = (selection: Selection) =>
    onSelect(new Set(selection === "all" ? items.map(({ id }) => id) : [...selection].map(String)));
  return (
    <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight, loaderHeight: rowHeight }}>
      <GridList
        ref={list}
        aria-label={props.label}
        className={styles.list ?? ""}
        style={{ height: `min(${props.total * rowHeight + 1}px, calc(100dvh - ${isPhone ? 17 : 13}rem))` }}
        items={items}
        selectionMode="multiple"
        // Letters are the screen's shortcuts.
        disallowTypeAhead
        selectedKeys={selected}
        onSelectionChange={select}
        {...(isDraggable && { dragAndDropHooks })}
      >
        {items.map((item) => (
          <Row key={item.id} item={item} facts={facts} href={href} isDraggable={isDraggable} />
        ))}
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
