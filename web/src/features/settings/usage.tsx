import { Link } from "wouter";
import { Section } from "../../kit/section.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { LIMIT_REACHED_TEXT, limitState, PLAN_NAMES, UsageMeasures } from "../usage/measures.tsx";
import { type Usage, useUsage } from "../usage/usage.ts";

function Lead({ usage }: { usage: Usage }) {
  const { isLimited, isFull } = limitState(usage);
  if (!isLimited && !usage.sells_plans) return null;
  return (
    <>
      {isLimited && `Your usage of the ${PLAN_NAMES[usage.plan_tier]} plan. `}
      {isFull && `${LIMIT_REACHED_TEXT} `}
      {usage.sells_plans && <Link href="/settings/plan">Plans and prices</Link>}
    </>
  );
}

export function UsageSection() {
  const { data, error, refetch } = useUsage(0);
  return (
    <Section id="usage" title="Usage" lead={data && <Lead usage={data} />}>
      {error && !data && <Problem problem={error} retry={refetch} />}
      {!data && !error && <Loading />}
      {data && <UsageMeasures usage={data} />}
    </Section>
  );
}
