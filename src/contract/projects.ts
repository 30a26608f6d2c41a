import { z } from "@hono/zod-openapi";
import { ChangeId } from "./change-id-fields.ts";
import { ItemList, Name, PageParams, RequestQuery, UpdateBody } from "./fields.ts";

const ProjectName = Name(200).meta({ example: "Apollo" });

export const ProjectParams = z.object({ name: ProjectName });

export const Project = z
  .strictObject({
    name: z.string(),
    memory_count: z.int().meta({ description: "Number of records in any status" }),
    active_count: z.int().meta({ description: "Number of active records" }),
  })
  .meta({ id: "Project" });
export type Project = z.infer<typeof Project>;

export const RenamedProject = Project.extend({
  change_ids: z.array(ChangeId).optional().meta({
    description:
      "The changes, for `POST /api/activity/undo`, limited to the last 100. Absent if the name did not change",
  }),
}).meta({ id: "RenamedProject" });
export type RenamedProject = z.infer<typeof RenamedProject>;

const changes = z.strictObject({
  name: ProjectName.meta({
    description: "The new name. If a project of that name exists, the two are merged",
    example: "Gemini",
  }),
});

export const ProjectUpdateRequest = UpdateBody(changes, Project).meta({ id: "ProjectUpdateRequest" });

export const ProjectList = ItemList("ProjectList", Project);
export type ProjectList = z.infer<typeof ProjectList>;

export const ProjectListQuery = RequestQuery(PageParams);
