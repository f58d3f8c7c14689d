import { beforeEach, describe, expect, test } from 'vitest';
import { configMap } from '../../shared/kinds/child-types/core.ts';
import { authUrlAnnotation } from '../../shared/kinds/child-types/ingress.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { type JsonObject, type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import type { Delete } from '../../shared/plan/decision/decision.ts';
import type { CheckStep } from '../../shared/plan/decision/steps.ts';
import { withoutContent } from '../../shared/plan/observed/observed.ts';
import { refTo } from '../../shared/plan/observed/world.ts';
import { checkPrecondition } from '../../shared/resource/check-precondition.ts';
import { StaleError } from '../../shared/resource/stale.ts';
import type { Turn } from '../../shared/resource/turn.ts';
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

/** Any write; the tests pass the check that precedes it separately. */
const decision = (): Delete => ({
  verb: 'delete',
  type: ingress,
  namespace: place.namespace,
  lock: 'previous',
  child: refTo(ingress, 'shop-public'),
});

/** Returns the error of a check that finds something stale; undefined if it finds nothing. */
async function staleness(state: Turn, step: CheckStep): Promise<StaleError | undefined> {
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
    ({ metadata }) => metadata.annotations?.[authUrlAnnotation] !== undefined,
  );
  return found?.metadata.name ?? 'none';
};
const patch = async (body: JsonObject) => place.api.patch(ingress, await protectedName(), body);
const textsOf = ({ spec }: KubeObject): readonly string[] =>
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

/** Creates another Ingress, with the resource's labels or without; its controller is the resource, or nobody. */
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
  /** Changes what the run knows of the Ingress, so that it differs from the live object. */
  readonly known?: (state: Turn, name: string) => void;
  readonly act?: () => Promise<unknown>;
  /** Names the reported paths; undefined if nothing is stale. */
  readonly want: undefined | 'before' | readonly string[] | 'both';
}

const exposed: Record<string, Exposed> = {
  Same: { reason: 'nothing has changed', want: undefined },
  Labelled: {
    reason: 'another version with the same paths is no change',
    act: () => patch({ metadata: { labels: { tier: 'one' } } }),
    want: undefined,
  },
  Paths: { reason: 'the path has changed', act: () => patch(rulesOf('/b')), want: 'both' },
  Opened: {
    reason: 'the paths are the same, but without authorization',
    act: () => patch({ metadata: { annotations: { [authUrlAnnotation]: null } } }),
    want: 'both',
  },
  Deleted: {
    reason: 'another Ingress answers its requests now',
    act: async () => place.api.remove(ingress, await protectedName()),
    want: 'before',
  },
  BeingDeleted: {
    reason: 'it may be gone at any moment',
    act: async () => {
      await patch(kept);
      await place.api.remove(ingress, await protectedName());
    },
    want: 'both',
  },
  Replaced: {
    reason: 'an equal object replaced it: in between it was closed',
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
    reason: 'another run has created a further one',
    act: () => another({ labelled: true, owned: true }),
    want: ['/another'],
  },
  Foreign: {
    reason: 'labels alone do not make it ours',
    act: () => another({ labelled: true, owned: false }),
    want: undefined,
  },
  Unlabelled: {
    reason: 'a known Ingress that lost its labels is read by name',
    act: () => patch(unlabelled),
    want: undefined,
  },
  UnlabelledPaths: {
    reason: 'it is compared like any other, although it lost its labels',
    act: () => patch({ ...unlabelled, ...rulesOf('/b') }),
    want: 'both',
  },
  UnlabelledUnknown: {
    reason: 'Ingresses without labels are read by name only if they are known',
    act: async () => {
      await patch(unlabelled);
      await another({ labelled: false, owned: true });
    },
    want: undefined,
  },
  GivenUp: {
    reason: 'an Ingress that others keep writing may have any of the paths it was seen with',
    known: ({ world: { possiblePaths } }, name) =>
      possiblePaths.set(keyOf(refTo(ingress, name)), new Set(['/b', '/c'])),
    act: () => patch(rulesOf('/b')),
    want: undefined,
  },
  GivenUpFurther: {
    reason: 'it may have no other paths',
    known: ({ world: { possiblePaths } }, name) =>
      possiblePaths.set(keyOf(refTo(ingress, name)), new Set(['/c'])),
    act: () => patch(rulesOf('/b')),
    want: 'both',
  },
  GivenUpPartly: {
    reason: 'all of its paths count',
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
    reason: 'the deleted Ingress has none of the paths any more',
    known: ({ world: { possiblePaths } }, name) =>
      possiblePaths.set(keyOf(refTo(ingress, name)), new Set(['/c'])),
    act: async () => place.api.remove(ingress, await protectedName()),
    want: undefined,
  },
  NotKept: {
    reason: 'the plan assumes any path if the paths were not kept',
    known: reduce,
    act: () => patch(rulesOf('/b')),
    want: undefined,
  },
  NotKeptReplaced: {
    reason: 'the plan does not assume another object',
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
    reason: 'the plan does not assume a deletion',
    known: reduce,
    act: async () => {
      await patch(kept);
      await place.api.remove(ingress, await protectedName());
    },
    want: 'both',
  },
};

/** Drops the paths, as the limits of memory do. */
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
    const texts = ingress.exposure!.textsOf(before.facts) ?? ['*'];
    await act?.();
    const stale = await staleness(state, { verb: 'check', what: 'exposed' });
    if (want === undefined) {
      expect(stale).toBeUndefined();
      return;
    }
    const isOther = typeof want !== 'string';
    const child = refTo(ingress, isOther ? 'another' : name);
    const after = want === 'both' ? textsOf(await place.api.get(ingress, name)) : [];
    expect(stale?.target).toEqual({ ...child, type: ingress });
    expect(stale?.paths).toEqual(isOther ? want : [...after, ...texts]);
    expect(stale?.message).toBe(
      'cannot delete Ingress shop-public: Conflict: it changed meanwhile',
    );
  });
});

test('comparing the exposed paths takes one list while all Ingresses have their labels', async () => {
  const state = await begin();
  const begun = place.requests().length;
  await staleness(state, { verb: 'check', what: 'exposed' });
  expect(place.requests().slice(begun)).toMatchObject([{ verb: 'list', resource: 'ingresses' }]);
});

describe('before data is generated, the object that uses it', () => {
  const step: CheckStep = {
    verb: 'check',
    what: 'absence',
    ref: { ...refTo(configMap, 'user'), type: configMap },
  };
  const create = () => place.api.create(configMap, 'user', {});

  test('is absent in this namespace', async () => {
    const elsewhere = await world.place();
    await elsewhere.api.create(configMap, 'user', {});
    expect(await staleness(await begin(), step)).toBeUndefined();
  });

  test('exists since the plan was made, so the write is stale', async () => {
    const state = await begin();
    await create();
    const stale = await staleness(state, step);
    expect(stale?.message).toContain('delete Ingress shop-public');
    expect(stale?.target, 'it has to be read by name').toMatchObject(refTo(configMap, 'user'));
  });

  test('exists, as the plan knows', async () => {
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
    /** The time in milliseconds until the resource no longer counts as fresh. */
    readonly freshFor: number;
    readonly act?: () => Promise<unknown>;
    readonly isStale: boolean;
    /** True if the resource is read again, and so counts as fresh for another ten seconds. */
    readonly isRead?: boolean;
  }
  const edit = () => place.api.patch(app, 'shop', { spec: { image: 'other' } });
  const cases: Record<string, Case> = {
    Fresh: {
      reason: 'nothing is read within ten seconds of the previous read',
      ifOld: true,
      freshFor: 1,
      act: edit,
      isStale: false,
    },
    JustFresh: {
      reason: 'the ten seconds include their last millisecond',
      ifOld: true,
      freshFor: 0,
      act: edit,
      isStale: false,
    },
    Old: {
      reason: 'it is read after ten seconds',
      ifOld: true,
      freshFor: -1,
      isStale: false,
      isRead: true,
    },
    OldEdited: {
      reason: 'an edit is noticed when it is read',
      ifOld: true,
      freshFor: -1,
      act: edit,
      isStale: true,
    },
    Always: {
      reason: 'deletions and exposures always read it',
      freshFor: 5_000,
      isStale: false,
      isRead: true,
    },
    AlwaysEdited: {
      reason: 'deletions and exposures notice each edit',
      freshFor: 5_000,
      act: edit,
      isStale: true,
    },
    Labelled: {
      reason: 'labels are not part of the spec',
      freshFor: -1,
      act: () => place.api.patch(app, 'shop', { metadata: { labels: { a: 'b' } } }),
      isStale: false,
      isRead: true,
    },
    Suspended: {
      reason: 'nothing more may be written for a suspended resource',
      freshFor: -1,
      act: () =>
        place.api.patch(app, 'shop', {
          metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
        }),
      isStale: true,
    },
    Gone: {
      reason: 'the garbage collector takes its children',
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
