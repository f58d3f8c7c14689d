import { expect, test } from 'vitest';
import { website } from '../../systems/website.ts';
import { type Around, eachCall } from './calls.ts';
import { isWriteRequest } from './engine.ts';
import { useEngine } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });

/** A long deadline for a busy machine, and few slots, so that each run has few resources in progress. */
const slow = { deadline: Date.now() + 600_000, concurrency: 4 };

const count = 200;
/** The necessary writes: a Deployment, a Service and a status for each Website. */
const needed = 3 * count;

test('two runs of the same resync send less than twice the writes, and read a resource once for each conflict', async () => {
  const place = await engine.place([website]);
  for (let at = 0; at < count; at++) {
    const spec = { imageTag: 'latest', nodePort: place.nodePort() };
    await place.api.create(website, `site-${at}`, { spec });
  }
  const reports = await Promise.all([place.resync(slow), place.resync(slow)]);
  const writes = place.requests().filter(isWriteRequest);
  expect(reports.flatMap(({ failures }) => failures)).toEqual([]);
  expect(writes.filter(({ status }) => status < 300)).toHaveLength(needed);
  expect(writes.length).toBeLessThanOrEqual(1.6 * needed);
  const conflicts = writes.filter(({ status }) => status === 409);
  const reads = place.requests().filter(({ verb }) => verb === 'get');
  expect(conflicts.length).toBeGreaterThan(0);
  // Allows the child, its sibling and the resource; on a busy machine both runs may conflict again.
  expect(reads.length).toBeLessThanOrEqual(4 * conflicts.length);
  const { outcomes, statusWrites } = await place.resync();
  expect({ ...outcomes, statusWrites }).toMatchObject({ created: 0, updated: 0, statusWrites: 0 });
}, 300_000);

test('a child that another run writes first is read by name, and not written again', async () => {
  const place = await engine.place([website]);
  const spec = { imageTag: 'latest', nodePort: place.nodePort() };
  await place.api.create(website, 'site', { spec });
  let isWritten = false;
  const writeBefore: Around = async (what, call) => {
    if (what === 'apply Deployment site' && !isWritten) {
      isWritten = true;
      await place.resync();
    }
    return call();
  };
  const report = await place.resync({ through: (cluster) => eachCall(cluster, writeBefore) });
  expect(report).toMatchObject({
    failures: [],
    undone: [],
    statusWrites: 0,
    outcomes: { created: 0, updated: 0, failed: 0 },
  });
  const reads = place.requests().filter(({ verb }) => verb === 'get');
  expect(reads.map(({ resource }) => resource)).toEqual(['deployments', 'services', 'websites']);
});
