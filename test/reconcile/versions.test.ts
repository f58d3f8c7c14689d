import { describe, expect, test } from 'vitest';
import { child, configMap, defineKind, type KindVersion, Type } from '../../index.ts';
import { auditedTypes } from '../../infra/generate/audit/audited-types.ts';
import { routeOf } from '../../shared/audit/route.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { controllerOf } from '../../shared/plan/observed/observed.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { isWriteRequest } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const noteOf = (version: string, versions: readonly KindVersion[]) =>
  defineKind({
    group: 'example.org',
    version,
    kind: 'Note',
    plural: 'notes',
    versions,
    spec: Type.Object({ text: Type.String({ default: 'hello' }) }),
    samples: [{ name: 'note-sample', spec: {} }],
    owns: [configMap],
    children: ({ name, spec: { text } }) => [child(configMap, { name, body: { data: { text } } })],
  });
const old = noteOf('v1', []);
const renewed = noteOf('v2', [
  { name: 'v1', served: true, deprecated: true },
  { name: 'v1beta1', served: false },
]);

const engine = useEngine({ controllers: 'paused', install: [old] });

const place = usePlace(engine, [renewed]);

const expectNoWrite = async () => {
  const before = place.requests().length;
  await place.resync();
  expect(place.requests().slice(before).filter(isWriteRequest)).toEqual([]);
};
const childOf = (name: string) => place.api.get(configMap, name);

describe('a kind with several versions', () => {
  test('takes over the resources and children of an older version', async () => {
    await place.api.create(old, 'kept', { spec: {} });
    await place.resync({ kinds: [old] });
    const created = place.requests().filter(isWriteRequest).length;
    const before = await childOf('kept');
    expect(controllerOf(before)).toMatchObject({ apiVersion: 'example.org/v1' });
    await engine.install([renewed]);
    await place.resync();
    const after = await childOf('kept');
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(controllerOf(after)).toMatchObject({ apiVersion: 'example.org/v2' });
    const taken = place.requests().filter(isWriteRequest).slice(created);
    expect(taken.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
      'patch configmaps',
      'patch notes',
    ]);
    await expectNoWrite();
  });

  test('reconciles resources written in any served version', async () => {
    await engine.install([renewed]);
    await place.api.create(old, 'a', { spec: { text: 'one' } });
    await place.api.create(renewed, 'b', { spec: {} });
    await place.resync();
    expect((await childOf('a')).data).toEqual({ text: 'one' });
    await place.api.patch(old, 'b', { spec: { text: 'two' } });
    await place.resync();
    expect((await childOf('b')).data).toEqual({ text: 'two' });
    await expectNoWrite();
    expect(await place.api.list(old)).toHaveLength(2);
    const warnings = (await place.api.list(eventType)).filter(({ type }) => type === 'Warning');
    expect(warnings).toEqual([]);
  });

  test('is not served in other versions', async () => {
    await engine.install([renewed]);
    await expect(place.api.list({ ...old, version: 'v1beta1' })).rejects.toThrow('404');
  });

  test('is routed from audit entries of any version', () => {
    const written = {
      group: 'example.org',
      version: 'v1',
      plural: 'notes',
      verb: 'patch',
      namespace: 'n',
      name: 'a',
      user: 'jane',
      failed: false,
      dryRun: false,
    };
    expect(routeOf(written, { ownIdentity: [], kinds: [renewed] })).toEqual({
      requests: [{ kind: groupResource(renewed), namespace: 'n', name: 'a' }],
    });
    expect(auditedTypes([renewed]).kinds.Note?.resource.methods).toBe(
      'org.example.v2.notes|org.example.v1.notes',
    );
  });
});
