import { z } from "@hono/zod-openapi";
import { ChangeBody, Name, Page, RequestQuery } from "./fields.ts";
import { ChangeId } from "./ledger.ts";

const ProjectName = Name(200).meta({ example: "Apollo" });

export const ProjectParams = z.object({ name: ProjectName });

export const Project = z
  .strictObject({
    name: z.string(),
    memory_count: z.int().meta({ description: "How many records it has, in any state" }),
    active_count: z.int().meta({ description: "How many of them are active" }),
  })
  .meta({ id: "Project" });
export type Project = z.infer<typeof Project>;

export const RenamedProject = Project.extend({
  change_ids: z.array(ChangeId).optional().meta({
    description:
      "The changes, for `POST /api/activity/undo`; of more than a hundred, the last ones; none if the name stayed",
  }),
}).meta({ id: "RenamedProject" });
export type RenamedProject = z.infer<typeof RenamedProject>;

const changes = z.strictObject({
  name: ProjectName.meta({
    description: "The new name; an existing project of that name is merged with this one",
    example: "Gemini",
  }),
});

export const ProjectUpdateRequest = ChangeBody(changes, Project).meta({ id: "ProjectUpdateRequest" });

export const ProjectList = z
  .strictObject({ items: z.array(Project), total: z.int() })
  .meta({ id: "ProjectList" });
export type ProjectList = z.infer<typeof ProjectList>;

export const ProjectListQuery = RequestQuery(Page);
