import { numberAt, objectAt, objectsAt } from '../api-server/json/value.ts';
import type { KubeObject } from '../api-server/objects/object.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';

const jobs = { group: 'batch', version: 'v1', plural: 'jobs' };
const collectionName = 'jobs.batch';

/** Deletes every finished Job once its time to live is over. */
export function timeToLiveController({ server, work, ...context }: ControllerContext): Controller {
  const client = context.client('ttl-after-finished-controller');

  const sync = (key: string, { namespace, name }: Stored): void => {
    const current = server.store.get(collectionName, namespace, name);
    if (current === undefined) return;
    const job = read(current, 'batch/v1', 'Job');
    const end = endOf(job);
    if (job.metadata.deletionTimestamp !== undefined || end === undefined) return;
    const left = end - server.clock().getTime();
    if (left > 0) {
      work.addLater(key, left, () => sync(key, current));
      return;
    }
    const body = { preconditions: { uid: current.uid }, propagationPolicy: 'Foreground' };
    unlessLostRace(() => client({ verb: 'delete', resource: jobs, namespace, name, body }));
  };

  return {
    onChange: ({ collection, after }) => {
      if (collection !== collectionName || after === undefined) return;
      const key = `time to live of ${after.key}`;
      work.add(key, () => sync(key, after));
    },
  };
}

/** The end of a Job's time to live, in milliseconds since the epoch; undefined if it is unfinished or has none. */
function endOf(job: KubeObject): number | undefined {
  const seconds = numberAt(objectAt(job, 'spec'), 'ttlSecondsAfterFinished');
  const finished = objectsAt(objectAt(job, 'status'), 'conditions').find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return seconds === undefined || finished === undefined
    ? undefined
    : Date.parse(String(finished.lastTransitionTime)) + seconds * 1000;
}
