import { expect, test } from 'vitest';
import { child, configMap, defineChildType, defineKind, Type } from '../../index.ts';
import { expectConverged, expectReliable, type StatusFor } from '../../testing/index.ts';
import { definitionOf } from '../operators/definition.ts';

/** A type of another controller. An object without a status is not ready. */
const database = defineChildType<{ spec: { size: number } }>({
  group: 'db.example.com',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  readiness: ({ status }) =>
    (status as { phase?: string } | undefined)?.phase === 'Healthy'
      ? { state: 'Current' }
      : { state: 'InProgress', message: 'its operator has not seen it yet' },
});

const given = [definitionOf(database)];

const app = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
  spec: Type.Object({ size: Type.Integer({ minimum: 1, maximum: 9, default: 1 }) }),
  samples: [{ name: 'one', spec: {} }],
  owns: [database, configMap],
  children({ name, spec: { size } }) {
    const db = child(database, { name, body: { spec: { size } } });
    const data = { size: String(size) };
    return [db, child(configMap, { name, needs: [{ ...db, until: 'ready' }], body: { data } })];
  },
});

const statusFor: StatusFor = ({ kind }) => (kind === 'Cluster' ? { phase: 'Healthy' } : undefined);

test('a child that waits for a custom resource is tested once statusFor reports it ready', async () => {
  const { children, repaired } = await expectConverged(app, { given, statusFor });
  expect(children).toEqual(['Cluster one', 'ConfigMap one']);
  expect(repaired).toBeGreaterThan(4);
  const { sequences } = await expectReliable(app, { given, statusFor, specs: [{}, { size: 2 }] });
  expect(sequences).toBe(1);
});

test('without statusFor, the error says for what the child waits, and names the option', async () => {
  const error = await expectConverged(app, { given }).catch(String);
  expect(error).toContain('ConfigMap one does not exist');
  expect(error).toContain('ConfigMap one waits for Cluster one');
  expect(error).toContain('statusFor');
});
