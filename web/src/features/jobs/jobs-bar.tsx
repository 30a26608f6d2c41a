import type { Job } from "../../api/jobs.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { screenTitle } from "../../kit/screen.tsx";
import { formatCount } from "../../kit/text.ts";
import { type BulkProgress, useBulkProgress } from "../../state/bulk-progress.ts";
import { AFTER_CANCEL, AFTER_FAILURE, jobProgressText } from "../../state/job-texts.ts";
import { cancelJob, dismissJob, useJobsInBar } from "../../state/jobs.ts";
import styles from "./jobs-bar.module.css";

/** Further jobs are only counted. */
const SHOWN_JOBS = 3;

const Running = ({ job }: { job: Job }) => (
  <li className={styles.line}>
    <progress
      aria-label={job.title}
      {...(job.total !== null && { max: Math.max(1, job.total), value: job.done })}
    />
    <span className={styles.text}>
      <span className={styles.title}>{job.title}</span>{" "}
      <span className={styles.share}>{jobProgressText(job)}</span>
      {job.detail && <span className={styles.detail}>{job.detail}</span>}
    </span>
    <ConfirmButton
      kind="quiet"
      aria-label={`Cancel: ${job.title}`}
      title="Cancel this job?"
      text={
        <>
          <p>{job.title}</p>
          <p>{AFTER_CANCEL[job.kind]}</p>
        </>
      }
      keep="Keep it running"
      verb="Cancel job"
      act={() => cancelJob(job)}
    >
      Cancel
    </ConfirmButton>
  </li>
);

const Bulk = ({ progress: { text, done, total, stop } }: { progress: BulkProgress }) => (
  <li className={styles.line}>
    <progress aria-label={text} max={total} value={done} />
    <span className={styles.text}>
      <span className={styles.title}>{text}</span>{" "}
      <span className={styles.share}>
        {formatCount(done)} of {formatCount(total)}
      </span>
    </span>
    {stop && (
      <Button
        kind="quiet"
        onPress={() => {
          stop();
          screenTitle()?.focus();
        }}
      >
        Stop
      </Button>
    )}
  </li>
);

const Failed = ({ job }: { job: Job }) => (
  <li className={`${styles.line} ${styles.failed}`} role="alert">
    <span className={styles.text}>
      <strong>{job.title}: failed.</strong> {job.detail && `${job.detail}. `}
      {AFTER_FAILURE[job.kind]}
    </span>
    <Button kind="quiet" aria-label={`Dismiss: ${job.title}`} onPress={() => dismissJob(job)}>
      Dismiss
    </Button>
  </li>
);

/** The running and failed jobs of the account, and large changes made in this tab, shown on every screen. */
export default function JobsBar() {
  const jobs = useJobsInBar();
  const bulk = useBulkProgress();
  if (jobs.length === 0 && !bulk) return null;
  const more = jobs.length - SHOWN_JOBS;
  return (
    <aside className={styles.bar} aria-label="In progress">
      <ul className={styles.lines}>
        {bulk && <Bulk progress={bulk} />}
        {jobs.slice(0, SHOWN_JOBS).map((job) => {
          const Line = job.state === "failed" ? Failed : Running;
          return <Line key={job.id} job={job} />;
        })}
      </ul>
      {more > 0 && <p className={styles.more}>and {more} more</p>}
    </aside>
  );
}
