import { useLocation } from "wouter";
import { CalendarCheck, ChevronDown, FilePlus, FolderPlus } from "../../kit/icons.tsx";
import type { Action } from "../../kit/menu-button.tsx";
import OpenMenu from "../../kit/menu-open.tsx";
import { useTimezone, useToday } from "../../kit/time.tsx";
import { useFolders } from "../folders/folders.ts";
import { createFolder } from "./folder.ts";
import { beginningAt, foldersNamed, TEMPLATES, type Template, useTemplates } from "./templates.ts";
import { openNote } from "./today.ts";

type State = { data: Template[] | undefined; error: Error | null };

/** The templates, or why there are none. */
function linesFor({ data, error }: State, go: (path: string) => void, folder: string | undefined): Action[] {
  const note = (name: string) => ({ name, isDisabled: true, run: () => {} });
  if (!data) return [note(error ? `No templates: ${error.message}` : "Looking for templates…")];
  if (data.length === 0) {
    const begin = () => createFolder((id) => go(`/documents/new?folder=${id}`));
    return [{ name: "Write a template", icon: FolderPlus, run: () => void begin() }];
  }
  return data.map((template) => ({
    ...{ id: template.id, name: template.title, icon: FilePlus },
    run: () => go(beginningAt(template, folder)),
  }));
}

/** The menu. A document from a template belongs where one is, unless that is among the templates. */
export default function OpenNewMenu({ label, folder }: { label: string; folder: string | undefined }) {
  const [, navigate] = useLocation();
  const today = useToday();
  const timezone = useTimezone();
  const { data, error } = useTemplates();
  const { data: folders = [] } = useFolders();
  const isAmongThem = foldersNamed(folders, TEMPLATES).some(({ id }) => id === folder);
  const openToday = () => void openNote(today, timezone, (id) => navigate(`/documents/${id}?edit`));
  const actions: Action[] = [
    { name: "Today’s note", icon: CalendarCheck, run: openToday },
    ...linesFor({ data, error }, navigate, isAmongThem ? undefined : folder),
  ];
  return <OpenMenu label={label} icon={ChevronDown} actions={actions} />;
}
