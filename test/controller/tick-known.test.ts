import { expect, test } from 'vitest';
import { configMap } from '../../index.ts';
import { createReconciler } from '../../shared/controller/reconciler.ts';
import { tick } from '../../shared/controller/tick.ts';
import { createLog } from '../../shared/log.ts';
import type { Scope } from '../../shared/scope.ts';
import { openDirectEngine } from '../properties/direct-engine.ts';
import { parseConfig } from '../support/config.ts';
import { noteKind } from '../support/note.ts';

test('a tick of the whole area plans only what has changed since the last one, a tick of a Scope everything', async () => {
  let planned: string[] = [];
  const note = noteKind((name) => planned.push(name));
  const { cluster, place } = await openDirectEngine(undefined, [note]);
  const { api, namespace } = await place([note]);
  const config = parseConfig({ CLUSTER_CONTEXT: 'local', NAMESPACES: namespace });
  const reconciler = createReconciler(
    { ...config, kinds: [note], cluster: { name: 'local', context: 'local' } },
    createLog(() => undefined, 'ERROR'),
    { credentials: async () => ({}) as never, connect: () => cluster.connection },
  );
  const plannedIn = async (scope: Scope): Promise<readonly string[]> => {
    planned = [];
    await tick(reconciler, scope);
    return planned;
  };
  await api.create(note, 'a', { spec: { text: 'a' } });
  await tick(reconciler, {});
  expect(await plannedIn({})).toEqual(['a']);
  expect(await plannedIn({})).toEqual([]);
  expect(await plannedIn({ kind: 'Note' })).toEqual(['a']);
  expect(await plannedIn({ namespace })).toEqual(['a']);
  expect(await plannedIn({})).toEqual([]);

  await api.patch(configMap, 'a', { data: { text: 'changed' } });
  expect(new Set(await plannedIn({}))).toEqual(new Set(['a']));
  expect(await api.get(configMap, 'a')).toMatchObject({ data: { text: 'a' } });
  await reconciler.close();
  cluster.stop();
});
