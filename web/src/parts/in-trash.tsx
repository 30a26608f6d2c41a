import { useQuery } from "@tanstack/react-query";
import { type TrashItem, trashApi } from "../api.ts";
import { Screen } from "../layout/screen.tsx";
import { Button, ButtonLink } from "./button.tsx";
import { Actions } from "./dialog.tsx";
import { Empty } from "./states.tsx";
import { Moment } from "./time.tsx";
import { restore, titleOf } from "./trash-actions.ts";

const PAGE = 100;
/** Who has more than this in the trash looks there. */
const PAGES = 5;

type Type = "documents" | "memories";

async function findInTrash(type: Type, id: string | number): Promise<TrashItem | null> {
  for (let page = 0; page < PAGES; page++) {
    const { items, total } = await trashApi.list({ type, limit: PAGE, offset: page * PAGE });
    const found = items.find((item) => item.id === id);
    if (found || total <= (page + 1) * PAGE) return found ?? null;
  }
  return null;
}

/** A document or record of the trash; null if it is not there. */
export const useTrashed = (type: Type, id: string | number) =>
  useQuery({ queryKey: ["trash", "find", type, id], queryFn: () => findInTrash(type, id) });

/** The screen of what is in the trash. */
export const InTrash = ({ item }: { item: TrashItem }) => (
  <Screen title={titleOf(item)}>
    <Empty title={`This ${item.type === "document" ? "document" : "record"} is in the trash`}>
      <p>
        It was put there <Moment at={item.trashed_at} />, and is erased 30 days after that.
      </p>
      <Actions>
        <ButtonLink href="/documents?view=trash">Show the trash</ButtonLink>
        <Button kind="primary" onPress={() => restore([item])}>
          Restore it
        </Button>
      </Actions>
    </Empty>
  </Screen>
);
