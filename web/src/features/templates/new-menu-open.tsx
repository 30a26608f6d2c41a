import { useLocation } from "wouter";
import { CalendarCheck, ChevronDown, FilePlus, FolderPlus } from "../../kit/icons.tsx";
import type { Action } from "../../kit/menu-button.tsx";
import OpenMenu from "../../kit/menu-open.tsx";
import { useTimezone, useToday } from "../../kit/time.tsx";
import { useFolders } from "../folders/folders.ts";
import { createFolder } from "./folder.ts";
import { beginningAt, foldersNamed, TEMPLATES, type Template, useTemplates } from "./templates.ts";
import { openNote } from "./today.ts";

type TemplatesState = { data: Template[] | undefined; error: Error | null };

/** The menu items of the templates, or a note if there are none. */
function templateItems(
  { data, error }: TemplatesState,
  open: (path: string) => void,
  folder: string | undefined,
): Action[] {
  const note = (name: string) => ({ name, isDisabled: true, run: () => {} });
  if (!data) return [note(error ? `No templates: ${error.message}` : "Loading templates…")];
  if (data.length === 0) {
    const createTemplate = () => createFolder((id) => open(`/documents/new?folder=${id}`));
    return [{ name: "Create a template", icon: FolderPlus, run: () => void createTemplate() }];
  }
  return data.map((template) => ({
    id: template.id,
    name: template.title,
    icon: FilePlus,
    run: () => open(beginningAt(template, folder)),
  }));
}

/** The open menu. A document from a template is created in the current folder, unless that is the templates folder. */
export default function OpenNewMenu({ label, folder }: { label: string; folder: string | undefined }) {
  const [, navigate] = useLocation();
  const today = useToday();
  const timezone = useTimezone();
  const { data, error } = useTemplates();
  const { data: folders = [] } = useFolders();
  const isTemplatesFolder = foldersNamed(folders, TEMPLATES).some(({ id }) => id === folder);
  const openToday = () => void openNote(today, timezone, (id) => navigate(`/documents/${id}?edit`));
  const actions: Action[] = [
    { name: "Today’s note", icon: CalendarCheck, run: openToday },
    ...templateItems({ data, error }, navigate, isTemplatesFolder ? undefined : folder),
  ];
  return <OpenMenu label={label} icon={ChevronDown} actions={actions} />;
}
