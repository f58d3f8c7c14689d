import { beforeEach, describe, expect, test } from 'vitest';
import { configMap } from '../../shared/kinds/child-types/core.ts';
import * as exposure from '../../shared/kinds/child-types/ingress.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { type JsonObject, type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import type { Delete } from '../../shared/plan/decision/decision.ts';
import type { CheckRequest } from '../../shared/plan/decision/requests.ts';
import { withoutContent } from '../../shared/plan/observed/observed.ts';
import { refTo } from '../../shared/plan/observed/world.ts';
import { checkPrecondition } from '../../shared/resource/check-precondition.ts';
import type { Turn } from '../../shared/resource/turn.ts';
import { StaleError } from '../../shared/resource/turn.ts';
import { controllerOf } from '../scenarios/api.ts';
import { casesOf } from '../support/cases.ts';
import { kindsFor } from '../support/config.ts';
import { nowMs } from './step-world.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const settings = { authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' };
const kinds = kindsFor(settings).filter(({ kind }) => kind === 'ContainerApp');
const app = kinds[0]!;

const world = useStepWorld(kinds);
const place = usePlace(world);
beforeEach(async () => {
  const endpoints = [{ path: '/' }, { path: '/a', scopes: ['u'] }];
  await place.api.create(app, 'shop', { spec: { image: 'nginx', endpoints } });
  await place.resync();
});

const begin = (freshUntil?: number) => world.begin(place, app, 'shop', freshUntil);

/** Any write; tests pass the check that precedes it separately. */
const decision = (): Delete => ({
  verb: 'delete',
  type: ingress,
  namespace: place.namespace,
  lock: 'previous',
  child: refTo(ingress, 'shop-public'),
});

/** Returns the error of a check; undefined if nothing is stale. */
async function staleness(state: Turn, step: CheckRequest): Promise<StaleError | undefined> {
  try {
    await checkPrecondition(state, decision(), step);
    return undefined;
  } catch (error) {
    if (error instanceof StaleError) return error;
    throw error;
  }
}

const protectedName = async (): Promise<string> => {
  const found = (await place.api.list(ingress)).find(
    ({ metadata }) => metadata.annotations?.[exposure.authUrlAnnotation] !== undefined,
  );
  return found?.metadata.name ?? 'none';
};
const patch = async (body: JsonObject) => place.api.patch(ingress, await protectedName(), body);
const patternsOf = ({ spec }: KubeObject): readonly string[] =>
  [...JSON.stringify(spec).matchAll(/"path":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = '']) => JSON.parse(text) as string,
  );
const rulesOf = (text: string): JsonObject => ({
  spec: {
    rules: [
      {
        http: {
          paths: [
            {
              path: text,
              pathType: 'ImplementationSpecific',
              backend: { service: { name: 'shop', port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
});
const unlabelled = { metadata: { labels: null } };
const kept = { metadata: { finalizers: ['example.org/kept'] } };

/** Creates another Ingress, with or without the resource's labels and controller reference. */
async function another(how: { readonly labelled: boolean; readonly owned: boolean }) {
  const [like] = await place.api.list(ingress);
  const owner = controllerOf(await place.api.get(app, 'shop'));
  await place.api.create(ingress, 'another', {
    metadata: {
      ...(how.labelled ? { labels: like!.metadata.labels as JsonObject } : {}),
      ...(how.owned ? { ownerReferences: [owner] } : {}),
    },
    ...rulesOf('/another'),
  });
}

interface Exposed {
  readonly reason: string;
  /** Changes the run's copy of the Ingress, so that it differs from the live object. */
  readonly known?: (state: Turn, name: string) => void;
  readonly act?: () => Promise<unknown>;
  /** The paths in the error; undefined if nothing is stale. */
  readonly want: undefined | 'before' | readonly string[] | 'both';
}

const exposed: Record<string, Exposed> = {
  Same: { reason: 'nothing has changed', want: undefined },
  Labelled: {
    reason: 'another version with the same paths is not stale',
    act: () => patch({ metadata: { labels: { tier: 'one' } } }),
    want: undefined,
  },
  Paths: { reason: 'a changed path is stale', act: () => patch(rulesOf('/b')), want: 'both' },
  Opened: {
    reason: 'the same paths without authorization are stale',
    act: () => patch({ metadata: { annotations: { [exposure.authUrlAnnotation]: null } } }),
    want: 'both',
  },
  Deleted: {
    reason: 'a change of precedence between Ingresses is stale',
    act: async () => place.api.remove(ingress, await protectedName()),
    want: 'before',
  },
  BeingDeleted: {
    reason: 'an Ingress that is being deleted is stale',
    act: async () => {
      await patch(kept);
      await place.api.remove(ingress, await protectedName());
    },
    want: 'both',
  },
  Replaced: {
    reason: 'an equal Ingress with another uid is stale, because its paths were closed in between',
    act: async () => {
      const name = await protectedName();
      const { metadata, spec } = await place.api.get(ingress, name);
      await place.api.remove(ingress, name);
      const { labels, annotations, ownerReferences } = metadata as unknown as JsonObject;
      await place.api.create(ingress, name, {
        metadata: { labels, annotations, ownerReferences },
        spec: spec as JsonObject,
      });
    },
    want: 'both',
  },
  New: {
    reason: 'an Ingress that another run has created is stale',
    act: () => another({ labelled: true, owned: true }),
    want: ['/another'],
  },
  Foreign: {
    reason: 'an Ingress with our labels and without our controller reference is ignored',
    act: () => another({ labelled: true, owned: false }),
    want: undefined,
  },
  Unlabelled: {
    reason: 'a known Ingress without labels is read by name',
    act: () => patch(unlabelled),
    want: undefined,
  },
  UnlabelledPaths: {
    reason: 'a known Ingress without labels is compared like any other',
    act: () => patch({ ...unlabelled, ...rulesOf('/b') }),
    want: 'both',
  },
  UnlabelledUnknown: {
    reason: 'an unknown Ingress without labels is not read',
    act: async () => {
      await patch(unlabelled);
      await another({ labelled: false, owned: true });
    },
    want: undefined,
  },
  GivenUp: {
    reason: 'an Ingress that others keep writing may have any path that was read',
    known: ({ world: { possiblePaths } }, name) =>
      possiblePaths.set(keyOf(refTo(ingress, name)), new Set(['/b', '/c'])),
    act: () => patch(rulesOf('/b')),
    want: undefined,
  },
  GivenUpFurther: {
    reason: 'an Ingress that others keep writing is stale with another path',
    known: ({ world: { possiblePaths } }, name) =>
      possiblePaths.set(keyOf(refTo(ingress, name)), new Set(['/c'])),
    act: () => patch(rulesOf('/b')),
    want: 'both',
  },
  GivenUpPartly: {
    reason: 'all paths of an Ingress that others keep writing are compared',
    known: ({ world: { possiblePaths } }, name) =>
      possiblePaths.set(keyOf(refTo(ingress, name)), new Set(['/b'])),
    act: () =>
      patch({
        spec: {
          rules: ['/b', '/c'].flatMap(
            (text) => (rulesOf(text).spec as { readonly rules: readonly JsonObject[] }).rules,
          ),
        },
      }),
    want: 'both',
  },
  GivenUpDeleted: {
    reason: 'a deleted Ingress is stale',
    known: ({ world: { possiblePaths } }, name) =>
      possiblePaths.set(keyOf(refTo(ingress, name)), new Set(['/c'])),
    act: async () => place.api.remove(ingress, await protectedName()),
    want: undefined,
  },
  NotKept: {
    reason: 'an Ingress whose paths were not kept is not stale, because the plan assumed any path',
    known: reduce,
    act: () => patch(rulesOf('/b')),
    want: undefined,
  },
  NotKeptReplaced: {
    reason: 'an Ingress whose paths were not kept is stale with another uid',
    known: reduce,
    act: async () => {
      const name = await protectedName();
      const { metadata, spec } = await place.api.get(ingress, name);
      await place.api.remove(ingress, name);
      const { labels, ownerReferences } = metadata as unknown as JsonObject;
      await place.api.create(ingress, name, {
        metadata: { labels, ownerReferences },
        spec: spec as JsonObject,
      });
    },
    want: 'both',
  },
  NotKeptDeleting: {
    reason: 'an Ingress whose paths were not kept is stale once it is deleted',
    known: reduce,
    act: async () => {
      await patch(kept);
      await place.api.remove(ingress, await protectedName());
    },
    want: 'both',
  },
};

/** Drops the paths, as the memory limit does. */
function reduce({ world: { children } }: Turn, name: string): void {
  const key = keyOf(refTo(ingress, name));
  children.set(key, withoutContent(children.get(key)!, 'too large'));
}

describe('before paths are exposed or withdrawn, the exposed paths are compared', () => {
  test.each(casesOf(exposed))('%s', async (_, { known, act, want }) => {
    const state = await begin();
    const name = await protectedName();
    known?.(state, name);
    const before = state.world.children.get(keyOf(refTo(ingress, name)))!;
    const patterns = exposure.patternsOf(before.facts) ?? ['*'];
    await act?.();
    const stale = await staleness(state, { verb: 'check', what: 'exposed' });
    if (want === undefined) {
      expect(stale).toBeUndefined();
      return;
    }
    const isOther = typeof want !== 'string';
    const child = refTo(ingress, isOther ? 'another' : name);
    const after = want === 'both' ? patternsOf(await place.api.get(ingress, name)) : [];
    expect(stale?.target).toEqual({ ...child, type: ingress });
    expect(stale?.paths).toEqual(isOther ? want : [...after, ...patterns]);
    expect(stale?.message).toBe(
      'cannot delete Ingress shop-public: Conflict: it changed meanwhile',
    );
  });
});

test('comparing the exposed paths takes one list if all Ingresses have their labels', async () => {
  const state = await begin();
  const begun = place.requests().length;
  await staleness(state, { verb: 'check', what: 'exposed' });
  expect(place.requests().slice(begun)).toMatchObject([{ verb: 'list', resource: 'ingresses' }]);
});

describe('before data is generated, the workload that uses it', () => {
  const step: CheckRequest = {
    verb: 'check',
    what: 'absence',
    ref: { ...refTo(configMap, 'user'), type: configMap },
  };
  const create = () => place.api.create(configMap, 'user', {});

  test('is looked up in the namespace of the resource', async () => {
    const elsewhere = await world.place();
    await elsewhere.api.create(configMap, 'user', {});
    expect(await staleness(await begin(), step)).toBeUndefined();
  });

  test('makes the write stale if it was created after the plan', async () => {
    const state = await begin();
    await create();
    const stale = await staleness(state, step);
    expect(stale?.message).toContain('delete Ingress shop-public');
    expect(stale?.target, 'it has to be read by name').toMatchObject(refTo(configMap, 'user'));
  });

  test('does not make the write stale if the plan knows it', async () => {
    const state = await begin();
    await create();
    const [child] = state.world.children.values();
    state.world.children.set(keyOf(refTo(configMap, 'user')), child!);
    expect(await staleness(state, step)).toBeUndefined();
  });
});

describe('before a write, the spec is compared with the planned one', () => {
  interface Case {
    readonly reason: string;
    readonly ifOld?: boolean;
    /** The time until which the resource counts as fresh, in milliseconds. */
    readonly freshFor: number;
    readonly act?: () => Promise<unknown>;
    readonly isStale: boolean;
    /** True if the resource is read again, after which it counts as fresh for another ten seconds. */
    readonly isRead?: boolean;
  }
  const edit = () => place.api.patch(app, 'shop', { spec: { image: 'other' } });
  const cases: Record<string, Case> = {
    Fresh: {
      reason: 'the resource is not read within ten seconds of the previous read',
      ifOld: true,
      freshFor: 1,
      act: edit,
      isStale: false,
    },
    JustFresh: {
      reason: 'the resource is not read after exactly ten seconds',
      ifOld: true,
      freshFor: 0,
      act: edit,
      isStale: false,
    },
    Old: {
      reason: 'the resource is read after more than ten seconds',
      ifOld: true,
      freshFor: -1,
      isStale: false,
      isRead: true,
    },
    OldEdited: {
      reason: 'an edit makes the write stale once the resource is read',
      ifOld: true,
      freshFor: -1,
      act: edit,
      isStale: true,
    },
    Always: {
      reason: 'the resource is always read before a deletion or an exposure',
      freshFor: 5_000,
      isStale: false,
      isRead: true,
    },
    AlwaysEdited: {
      reason: 'an edit always makes a deletion or an exposure stale',
      freshFor: 5_000,
      act: edit,
      isStale: true,
    },
    Labelled: {
      reason: 'a changed label does not make the write stale',
      freshFor: -1,
      act: () => place.api.patch(app, 'shop', { metadata: { labels: { a: 'b' } } }),
      isStale: false,
      isRead: true,
    },
    Suspended: {
      reason: 'a suspension makes the write stale',
      freshFor: -1,
      act: () =>
        place.api.patch(app, 'shop', {
          metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
        }),
      isStale: true,
    },
    Gone: {
      reason: 'a deletion of the resource makes the write stale',
      freshFor: -1,
      act: () => place.api.remove(app, 'shop'),
      isStale: true,
    },
  };

  test.each(Object.entries(cases))('%s', async (_, { ifOld = false, freshFor, act, ...one }) => {
    const state = await begin(nowMs + freshFor);
    await act?.();
    const stale = await staleness(state, { verb: 'check', what: 'resource', ifOld });
    expect(stale === undefined, one.reason).toBe(!one.isStale);
    expect(state.freshUntil - nowMs).toBe(one.isRead === true ? 10_000 : freshFor);
    if (one.isStale) expect(stale).toMatchObject({ target: undefined, decision: undefined });
  });
});
