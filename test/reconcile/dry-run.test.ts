import { expect, test } from 'vitest';
import { dryRun } from '../../shared/preview/dry-run.ts';
import { foo } from '../../systems/foo.ts';
import { eachCall } from './calls.ts';
import { type RunParts, runWith } from './run-with.ts';
import { nowMs } from './step-world.ts';
import { useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo]);

async function planned(over: Partial<RunParts> = {}) {
  const place = await world.place();
  await place.api.create(foo, 'f', { spec: { deploymentName: 'f', replicas: 1 } });
  const calls: string[] = [];
  const cluster = eachCall(world.run.cluster, (what, call) => {
    calls.push(what);
    return call();
  });
  const area = { kinds: [foo], namespaces: undefined };
  const report = await dryRun(
    runWith(world.run, { cluster, ...over }),
    [{ namespace: place.namespace }],
    { area, concurrency: 1, pruneLimit: () => 10 },
  );
  return { report, calls, key: `foos.example.com ${place.namespace}/f` };
}

test('a plan names the resources that need work, and sends only reads', async () => {
  const { report, calls, key } = await planned();
  expect(report.undone).toEqual([key]);
  expect(report.resources).toEqual({ total: 1, unchanged: 0, reconciled: 0 });
  expect(report.codeChanges).toMatchObject({ resources: 0, unplanned: 0 });
  expect(calls.toSorted()).toEqual(['get Deployment f', 'list deployments', 'list foos']);
});

test('a plan counts the resources for which the deadline left no time', async () => {
  const { report, key } = await planned({ deadline: nowMs });
  expect(report.undone).toEqual([key]);
  expect(report.codeChanges).toMatchObject({ resources: 0, unplanned: 1 });
});
