import { describe, expect, it } from 'vitest';
import {
  changesBetween,
  type LoadedKind,
  type LoadedProject,
} from '../../infra/start/reload/project.ts';

const kind = (name: string, digest: string): LoadedKind => ({
  group: 'example.org',
  version: 'v1',
  kind: name,
  plural: `${name.toLowerCase()}s`,
  owns: [],
  conditions: [],
  digest,
});
const project = (
  kinds: readonly LoadedKind[],
  definitions: Record<string, object>,
): LoadedProject => ({
  name: 'serverless-reconciler',
  problems: [],
  warnings: [],
  kinds,
  settings: [],
  localEnvironment: {},
  manifests: Object.entries(definitions).map(([path, manifest]) => ({ path, manifest })),
  audited: { kinds: [], ownIdentity: [] },
});

const before = project([kind('Cache', '1'), kind('Queue', '1')], {
  '/a': { x: 1 },
  '/b': { x: 1 },
});

const changes: Readonly<
  Record<
    string,
    { reason: string; now: LoadedProject; text: string; paths: string[]; kept: string[] }
  >
> = {
  Same: {
    reason: 'code may have changed that no sample uses',
    now: before,
    text: 'kinds/cache.ts, lib/x.ts changed',
    paths: [],
    kept: ['Cache', 'Queue'],
  },
  Changed: {
    reason:
      'only changed samples are applied, because the others may have been edited in the cluster',
    now: project([kind('Cache', '2'), kind('Queue', '1')], { '/a': { x: 1 }, '/b': { x: 2 } }),
    text: 'Cache changed',
    paths: ['/b'],
    kept: ['Cache', 'Queue'],
  },
  AddedAndRemoved: {
    reason: 'a renamed kind counts as removed and added',
    now: project([kind('Cache', '1'), kind('Topic', '1')], { '/a': { x: 1 }, '/c': { x: 1 } }),
    text: 'Topic added; Queue removed, its CRD and resources stay',
    paths: ['/c'],
    kept: ['Cache'],
  },
};

describe('the changes between two projects', () => {
  it.each(Object.entries(changes))('%s: $reason', (_, { now, text, paths, kept }) => {
    const found = changesBetween(before, now, ['kinds/cache.ts', 'lib/x.ts']);
    expect({ ...found, manifests: found.manifests.map(({ path }) => path) }).toEqual({
      text,
      kept,
      manifests: paths,
    });
  });
});
