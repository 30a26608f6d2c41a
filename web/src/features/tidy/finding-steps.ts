import type { TidyAction } from "../../../../src/contract/tidy-kinds.ts";
import type { ActionInfo } from "../../kit/actions.ts";

export type FindingStep = TidyAction | "keep";

/** The actions on a finding. Two may share a key, because no finding offers both. */
export const FINDING_STEPS: Record<FindingStep, ActionInfo & { shortcut: string }> = {
  merge: { name: "Merge", help: "Merge: keep the first, archive the others", shortcut: "m" },
  supersede: { name: "Replace", help: "Replace the earlier one with the later one", shortcut: "s" },
  resolve: { name: "Resolve", shortcut: "e" },
  archive: { name: "Archive", shortcut: "a" },
  rename: { name: "Rename", help: "Change the topic", shortcut: "r" },
  delete: { name: "Delete", help: "Move to the trash", shortcut: "#" },
  erase_versions: { name: "Delete versions permanently", shortcut: "x" },
  erase: { name: "Delete permanently", help: "Delete a secret permanently", shortcut: "x" },
  keep: { name: "Keep", help: "Keep as is and don’t ask again", shortcut: "y" },
};
