import { expect, test } from 'vitest';
import { child, configMap, defineKind, deployment, labelValue, Type } from '../../index.ts';
import type { Child } from '../../shared/kinds/child.ts';
import { statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { database } from '../../systems/database.ts';
import { foo } from '../../systems/foo.ts';
import { type Around, eachCall } from './calls.ts';
import { settlingFor } from './settling.ts';
import { useEngine, usePlace } from './use-engine.ts';

const count = 12;
const limit = () => 10;

/** A kind with a Deployment while the ConfigMap that it reads has any data. */
const follower = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Follower',
  plural: 'followers',
  spec: Type.Object({}),
  samples: [{ name: 'follower', spec: {} }],
  owns: [deployment],
  reads: { source: { type: configMap, name: () => 'source' } },
  children({ name, reads: { source } }) {
    const labels = { follower: labelValue(name) };
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    };
    const body = { spec: { selector: { matchLabels: labels }, template } };
    return source?.data === undefined ? [] : [child(deployment, { name, body })];
  },
});

/** A version of the kind that gives each child another name. */
const renamed: Kind = {
  ...database,
  desired(resource) {
    const desired = database.desired(resource);
    if ('invalid' in desired) return desired;
    const other = <T extends { readonly name: string }>(one: T): T => ({
      ...one,
      name: `${one.name}-new`,
    });
    return desired.map(
      (one): Child => ({
        ...other(one),
        ...(one.needs && { needs: one.needs.map(other) }),
        ...(one.generated && {
          generated: { ...one.generated, usedBy: (one.generated.usedBy ?? []).map(other) },
        }),
      }),
    );
  },
};

const engine = useEngine({ controllers: 'paused', install: [follower] });

const place = usePlace(engine);

const names = Array.from({ length: count }, (_, at) => `r${at}`);
const deletions = () => place.requests().filter(({ verb }) => verb === 'delete').length;

test('C-5 deletions count for PRUNE_LIMIT even if the replacements of the children have to be read first', async () => {
  const spec = {
    image: 'postgres:14',
    replicas: 1,
    databaseName: 'mydb',
    username: 'admin',
    storage: { size: '1Gi' },
  };
  for (const name of names) await place.api.create(database, name, { spec });
  await place.resync({ kinds: [database] });
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
  await place.resync({ kinds: [database] });
  for (let resyncs = 0; resyncs < 2; resyncs++) {
    const { pruning } = await place.resync({ kinds: [renamed], pruneLimit: limit });
    expect(pruning).toContain(`${count} of ${count}`);
  }
  expect(deletions()).toBe(0);
  expect(await place.api.list(statefulSet)).toHaveLength(2 * count);
  expect(await place.api.list(secret)).toHaveLength(2 * count);
});

test('C-5 a child that becomes unwanted while a run settles is left to the next run, which counts it', async () => {
  await place.api.create(configMap, 'source', { data: { a: 'b' } });
  for (const name of names) await place.api.create(follower, name, { spec: {} });
  const empty = () => place.api.patch(configMap, 'source', { data: null });
  await place.resync({
    kinds: [follower],
    pruneLimit: limit,
    ...settlingFor(15, empty),
  });
  await empty();
  const { pruning } = await place.resync({ kinds: [follower], pruneLimit: limit });
  expect(pruning).toContain(`${count} of ${count}`);
  expect(deletions()).toBe(0);
  const allowed = await place.resync({ kinds: [follower], pruneLimit: () => count });
  expect(allowed).toMatchObject({ pruning: 'allowed', outcomes: { deleted: count } });
});

const control = async () => {
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
};

test('C-5 an unwanted child of a resource that a rollout has chosen is deleted in the same run', async () => {
  const old: Kind = {
    ...foo,
    desired(resource) {
      const desired = foo.desired(resource);
      if ('invalid' in desired) return desired;
      return desired.flatMap((one): Child[] => [one, { ...one, name: `${one.name}-old` }]);
    },
  };
  for (const name of names.slice(0, 4))
    await place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  await place.resync({ kinds: [old] });
  await control();
  await place.resync({ kinds: [old] });
  const rollout = { budget: () => 1, timeoutMs: 600_000, failures: 0 };
  const only = { kinds: [foo], namespaces: [place.namespace] };
  const report = await engine.run({}, { ...only, rollout, pruneLimit: limit });
  expect(report).toMatchObject({ pruning: 'allowed', outcomes: { deleted: 1 } });
});

test('C-5 a rollout deletes no child if more resources than PRUNE_LIMIT have deletions', async () => {
  const forgetful: Kind = { ...foo, desired: () => [] };
  for (const name of names)
    await place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  await place.resync({ kinds: [foo] });
  await control();
  await place.resync({ kinds: [foo] });
  const rollout = { budget: () => 2, timeoutMs: 600_000, failures: 0 };
  const only = { kinds: [forgetful], namespaces: [place.namespace] };
  for (let resyncs = 0; resyncs < 3; resyncs++) {
    const { pruning } = await engine.run({}, { ...only, rollout, pruneLimit: limit });
    expect(pruning).toContain(`${count} of ${count}`);
  }
  expect(await place.api.list(deployment)).toHaveLength(count);
});

test('C-5 a child that a run created for a spec that was replaced meanwhile is deleted', async () => {
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  await place.resync({ kinds: [foo] });
  await place.api.remove(deployment, 'a');
  let isEdited = false;
  const editBefore: Around = async (what, call) => {
    if (what === 'apply Deployment a' && !isEdited) {
      isEdited = true;
      await place.api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
      await place.resync({ kinds: [foo] });
    }
    return call();
  };
  await place.resync({ kinds: [foo], through: (cluster) => eachCall(cluster, editBefore) });
  const left = await place.api.list(deployment);
  expect(left.map(({ metadata }) => metadata.name)).toEqual(['b']);
});
