import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespace, networkPolicy, resourceQuota } from 'serverless-reconciler';
import { createTestEnvironment, expectConverged } from 'serverless-reconciler/testing';
import { team } from './team.ts';

const place = { namespace: 'team-blue' };

test('a Team obeys the laws of the engine', async () => {
  const { children } = await expectConverged(team);
  assert.deepEqual(
    children.map((child) => child.split(' ')[0]),
    ['Namespace', 'ResourceQuota', 'LimitRange', 'NetworkPolicy', 'RoleBinding'],
  );
});

test('a higher limit of pods changes only the quota', async () => {
  await using env = await createTestEnvironment({ kinds: [team] });
  await env.apply(team, { name: 'blue', spec: { group: 'blue' } });
  await env.resync();
  await env.resync();
  env.requests();
  await env.patch(team, 'blue', { body: { spec: { pods: 80 } } });
  const { reconcileRequests } = await env.deliver();
  assert.deepEqual(reconcileRequests, [{ kind: 'teams.team.example.org', name: 'blue' }]);
  const written = env.requests().filter(({ isWrite, subresource }) => isWrite && !subresource);
  assert.deepEqual(
    written.map(({ resource }) => resource),
    ['resourcequotas'],
  );
  const { spec } = (await env.get(resourceQuota, 'team', place)) ?? {};
  assert.deepEqual(spec?.hard, { pods: '80', 'requests.cpu': '4', 'requests.memory': '8Gi' });
});

test('a NetworkPolicy that a member deletes is created again', async () => {
  await using env = await createTestEnvironment({ kinds: [team] });
  await env.apply(team, { name: 'blue', spec: { group: 'blue' } });
  await env.resync();
  await env.delete(networkPolicy, 'team', place);
  await env.deliver();
  assert.notEqual(await env.get(networkPolicy, 'team', place), undefined);
});

test('a foreign Namespace of the same name is not changed', async () => {
  await using env = await createTestEnvironment({ kinds: [team] });
  await env.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-blue' } });
  await env.apply(team, { name: 'blue', spec: { group: 'blue' } });
  await env.resync();
  const { Stalled } = await env.conditions(team, 'blue');
  assert.equal(Stalled?.reason, 'ErrResourceExists');
  assert.match(Stalled.message, /"team-blue" already exists/);
  assert.deepEqual((await env.get(namespace, 'team-blue'))?.metadata.ownerReferences, undefined);
});
