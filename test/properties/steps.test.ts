import { expect, test } from 'vitest';
import { child, defineKind, deployment, job, Type } from '../../index.ts';
import { eachCall } from '../reconcile/calls.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import { failureNames, undisturbed, withFault } from './call-fault.ts';
import { stride, testTimeoutMs } from './runs.ts';

/** A Deployment whose image needs a Job of the same image. */
const blog = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Blog',
  plural: 'blogs',
  spec: Type.Object({ image: Type.String() }),
  samples: [{ name: 'news', spec: { image: 'one' } }],
  owns: [deployment, job],
  children({ name, spec: { image } }) {
    const containers = [{ name: 'a', image }];
    const migrate = { type: job, name: `${name}-${image}` };
    const pod = { restartPolicy: 'Never' as const, containers };
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers } };
    const spec = { selector: { matchLabels: labels }, template };
    return [
      child(job, { ...migrate, step: 'once', body: { spec: { template: { spec: pod } } } }),
      child(deployment, { name, needs: [migrate], body: { spec } }),
    ];
  },
});

const engine = useEngine({ controllers: 'paused', install: [blog] });

const settled = async (): Promise<void> => {
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
};

test(
  'whatever call of a run fails, a Deployment never precedes its Job, and no Job runs twice',
  async () => {
    const images = ['one', 'two', 'one'];
    for (const how of failureNames)
      for (let at = 0; at < 14; at += stride) {
        const place = await engine.place([blog]);
        const { namespace } = place;
        const seen: string[] = [];
        const isComplete = async (name: string): Promise<boolean> => {
          const live = await place.api.find(job, name);
          const conditions = (live?.status?.conditions ?? []) as readonly { type: string }[];
          return conditions.some(({ type }) => type === 'Complete');
        };
        const done = new Set<string>();
        engine.cluster.intercept(async (request) => {
          if (request.namespace !== namespace || request.verb !== 'patch') return;
          if (request.subresource !== '' || request.resource !== 'deployments') return;
          if (request.path.includes('dryRun=All')) return;
          const image = /"image":"(\w+)"/.exec(String(request.body))?.[1] ?? '';
          if (await isComplete(`news-${image}`)) done.add(image);
          if (!done.has(image)) seen.push(`Deployment ${image} before its Job`);
        });
        await place.api.create(blog, 'news', { spec: { image: 'one' } });
        for (const image of images) {
          await place.api.patch(blog, 'news', { spec: { image } });
          const through = (port: Parameters<typeof eachCall>[0]) =>
            eachCall(port, withFault(undisturbed, { at, how }));
          await place.resync({ through }).catch(() => undefined);
          await settled();
          await place.resync({ through }).catch(() => undefined);
          for (let runs = 0; runs < 4; runs++) {
            await settled();
            await place.resync();
          }
        }
        const created = place
          .requests()
          .filter(
            ({ resource, verb, status }) => `${resource} ${verb} ${status}` === 'jobs patch 201',
          )
          .map(({ name }) => name);
        expect(seen, `${how} at ${at}`).toEqual([]);
        expect(created, `${how} at ${at}`).toEqual(['news-one', 'news-two']);
        const { status } = await place.api.get(blog, 'news');
        expect(status?.conditions, `${how} at ${at}`).toContainEqual(
          expect.objectContaining({ type: 'Ready', status: 'True' }),
        );
        engine.cluster.undisturb();
      }
  },
  testTimeoutMs,
);
