import { listAt, present, valueAt } from '../../json.ts';
import type { KubeObject } from '../../kubernetes.ts';
import { childType } from '../child-type.ts';
import { lowers } from '../impact.ts';
import { conditionOf, current, failed, inProgress, type Readiness } from '../readiness.ts';
import type { CronJobBody, JobBody } from './api-types.ts';
import { imagesIn, numbersIn, shortTextAt } from './facts.ts';

const api = { group: 'batch', version: 'v1' };

const isComplete = (live: KubeObject): boolean => conditionOf(live, 'Complete')?.isTrue === true;

const isSuspended = (live: KubeObject): boolean => valueAt(live.spec, 'suspend') === true;

export const job = childType<JobBody>()('Job', 'jobs', {
  ...api,
  readiness: jobReadiness,
  facts: jobFacts,
  complete: isComplete,
  // Unlike a complete Job, a failed Job is created again after Kubernetes has deleted it.
  expires: ({ spec }) => valueAt(spec, 'ttlSecondsAfterFinished') !== undefined,
  impact: ({ verb, fields, facts }) => {
    if (facts?.outcome === 'Complete') return [];
    const suspends = fields.some(({ path, to }) => path === 'spec.suspend' && to === true);
    if (verb === 'delete' || suspends) return ['interrupt'];
    return lowers(fields, 'spec.parallelism', 1) ? ['reduce'] : [];
  },
});

/** As in kstatus, a Job that has not failed is ready once it has started, is suspended or is complete. */
function jobReadiness(live: KubeObject): Readiness {
  const failure = conditionOf(live, 'Failed');
  if (failure?.isTrue)
    return failed(failure.reason ?? 'JobFailed', failure.message ?? 'the Job has failed');
  const isStarted = valueAt(live.status, 'startTime') !== undefined;
  return isStarted || isSuspended(live) || isComplete(live)
    ? current
    : inProgress('not started yet');
}

function jobFacts(live: KubeObject) {
  const outcome = (['Complete', 'Failed'] as const).find((type) => conditionOf(live, type)?.isTrue);
  const startTime = shortTextAt(live.status, 'startTime');
  const completionTime = shortTextAt(live.status, 'completionTime');
  return {
    ...numbersIn(live, 'active', 'succeeded', 'failed'),
    images: imagesIn(live.spec),
    ...present({ outcome, startTime, completionTime, suspended: isSuspended(live) || undefined }),
  };
}

export const cronJob = childType<CronJobBody>()('CronJob', 'cronjobs', {
  ...api,
  facts: ({ spec, status }) => ({
    active: listAt(status, 'active').length,
    images: imagesIn(valueAt(spec, 'jobTemplate', 'spec')),
    ...present({
      lastScheduleTime: shortTextAt(status, 'lastScheduleTime'),
      lastSuccessfulTime: shortTextAt(status, 'lastSuccessfulTime'),
    }),
  }),
  // Only a deletion affects running Jobs.
  impact: ({ verb }) => (verb === 'delete' ? ['interrupt'] : []),
});
