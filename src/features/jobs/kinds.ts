import type { JobKind } from "../../contract/jobs.ts";
import type { JobDefinition } from "../../platform/jobs/run.ts";
import { FOLDER_JOB } from "../folders/job.ts";
import { IMPORT_JOB } from "../import/job.ts";
import { PROJECT_JOB } from "../memories/project-job.ts";
import { TAG_JOB } from "../tags/job.ts";
import { TIDY_JOB } from "../tidy/job.ts";
import { TRASH_JOB } from "../trash/job.ts";

// biome-ignore lint/suspicious/noExplicitAny: only the kind itself knows the types of its payload and result
export const JOB_DEFINITIONS: Record<JobKind, JobDefinition<any, any>> = {
  folder: FOLDER_JOB,
  import: IMPORT_JOB,
  project: PROJECT_JOB,
  tag: TAG_JOB,
  tidy: TIDY_JOB,
  trash: TRASH_JOB,
};
