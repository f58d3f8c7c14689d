import { expect, test } from 'vitest';
import { configMap, job } from '../../index.ts';
import { eachCall } from '../reconcile/calls.ts';
import type { Place } from '../reconcile/engine.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import { depot, finalizer } from '../support/finalizing-kind.ts';
import { failureNames, undisturbed, withFault } from './call-fault.ts';
import { stride, testTimeoutMs } from './runs.ts';

const engine = useEngine({ controllers: 'paused', install: [depot] });

const settled = async (): Promise<void> => {
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
};

const isComplete = async (place: Place, name: string): Promise<boolean> => {
  const { conditions = [] } = (await place.api.find(job, name))?.status ?? {};
  return conditions.some(({ type }) => String(type) === 'Complete');
};

/** Records children that are created before the finalizer is set, and a finalizer that is removed too early. */
function watch(place: Place, seen: string[]): void {
  engine.cluster.intercept(async ({ namespace, verb, resource, subresource, body }) => {
    if (namespace !== place.namespace || verb !== 'patch' || subresource !== '') return;
    const live = await place.api.find(depot, 'north');
    if (['jobs', 'configmaps'].includes(resource)) {
      if (live?.metadata.finalizers?.includes(finalizer) !== true) seen.push(`${resource} without`);
    } else if (resource === 'depots' && String(body).includes('/metadata/finalizers')) {
      const isLeft = (await place.api.find(configMap, 'north-bucket')) !== undefined;
      if (isLeft || !(await isComplete(place, 'north-empty'))) seen.push('released too early');
    }
  });
}

test(
  'whatever call of a run fails, no child exists without the finalizer, which is removed only after the clean-up',
  async () => {
    for (const how of failureNames)
      for (let at = 0; at < 14; at += stride) {
        const place = await engine.place([depot]);
        const seen: string[] = [];
        watch(place, seen);
        const through = (port: Parameters<typeof eachCall>[0]) =>
          eachCall(port, withFault(undisturbed, { at, how }));
        const runs = async (policy?: 'Background' | 'Foreground'): Promise<void> => {
          if (policy !== undefined) await place.api.remove(depot, 'north', policy);
          for (let disturbed = 0; disturbed < 2; disturbed++) {
            await place.resync({ through }).catch(() => undefined);
            await settled();
          }
          for (let more = 0; more < 4; more++) {
            await place.resync();
            await settled();
          }
        };
        await place.api.create(depot, 'north', { spec: {} });
        await runs();
        await runs(at % 3 === 0 ? 'Foreground' : 'Background');
        expect(seen, `${how} at ${at}`).toEqual([]);
        expect(await place.api.find(depot, 'north'), `${how} at ${at}`).toBeUndefined();
        expect(await place.api.list(job), `${how} at ${at}`).toEqual([]);
        engine.cluster.undisturb();
      }
  },
  testTimeoutMs,
);
