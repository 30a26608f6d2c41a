import { useLocation } from "wouter";
import { foldersApi } from "../../api/folders.ts";
import type { Action } from "../../kit/actions.ts";
import { CalendarCheck, ChevronDown, FilePlus, FolderPlus } from "../../kit/icons.tsx";
import OpenMenu from "../../kit/menu-open.tsx";
import { useTimezone, useToday } from "../../kit/time.tsx";
import { queries } from "../../state/queries.ts";
import { runWithToast } from "../../state/run-with-toast.ts";
import { ALL_FOLDERS_QUERY, useFolders } from "../folders/folders.ts";
import { openDailyNote } from "./daily-note.ts";
import {
  newDocumentPath,
  TEMPLATES_FOLDER,
  type Template,
  topFoldersNamed,
  useTemplates,
} from "./templates.ts";

/** Finds or creates the templates folder. */
const openTemplatesFolder = (then: (id: string) => void): Promise<boolean> =>
  runWithToast(async (changes) => {
    const folders = await queries.fetchQuery({ ...ALL_FOLDERS_QUERY, staleTime: 0 });
    const [existing] = topFoldersNamed(folders, TEMPLATES_FOLDER);
    const { id } =
      existing ?? (await foldersApi.create({ name: TEMPLATES_FOLDER, parent_id: null }, { changes }));
    then(id);
    return existing
      ? undefined
      : `Folder “${TEMPLATES_FOLDER}” created. Documents in it are offered as templates`;
  });

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
    const createTemplate = () => openTemplatesFolder((id) => open(`/documents/new?folder=${id}`));
    return [{ name: "Create a template", icon: FolderPlus, run: () => void createTemplate() }];
  }
  return data.map((template) => ({
    id: template.id,
    name: template.title,
    icon: FilePlus,
    run: () => open(newDocumentPath(template, folder)),
  }));
}

/** The open menu. A document from a template is created in the current folder, unless that is the templates folder. */
export default function OpenNewMenu({ label, folder }: { label: string; folder: string | undefined }) {
  const [, navigate] = useLocation();
  const today = useToday();
  const timezone = useTimezone();
  const { data, error } = useTemplates();
  const { data: folders = [] } = useFolders();
  const isTemplatesFolder = topFoldersNamed(folders, TEMPLATES_FOLDER).some(({ id }) => id === folder);
  const openToday = () => void openDailyNote(today, timezone, (id) => navigate(`/documents/${id}?edit`));
  const actions: Action[] = [
    { name: "Today’s note", icon: CalendarCheck, run: openToday },
    ...templateItems({ data, error }, navigate, isTemplatesFolder ? undefined : folder),
  ];
  return <OpenMenu label={label} icon={ChevronDown} actions={actions} />;
}
