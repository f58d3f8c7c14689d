import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChildKey } from '../../shared/audit/route.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import { present } from '../../shared/json.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  type OwnerReference,
} from '../../shared/kubernetes.ts';
import { type Requirements, requirementsOf } from '../../shared/label-selector.ts';
import { createLog } from '../../shared/log.ts';
import { affectedBy } from '../../shared/reading/affected-resources.ts';
import { mergeRequests, reconcileRequest } from '../../shared/reconcile-request.ts';
import { openMemory } from '../../shared/run/memory-budget.ts';
import { nodePortsOf } from '../../shared/run/node-ports.ts';
import type { Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { effort } from '../properties/runs.ts';
import { kinds as allKinds } from '../support/config.ts';

const kinds = [website, foo];
const types = [deployment, service];
const allTypes = [...new Set(allKinds.flatMap(({ owns }) => owns))];

/** Opens a cluster with these objects by type; requests for a namespace in `broken` fail with the given reason. */
function world(objects: readonly KubeObject[], broken: Readonly<Record<string, string>> = {}) {
  const asked: string[] = [];
  const ask = (what: string, namespace = ''): void => {
    asked.push(`${what} ${namespace}`);
    const reason = broken[namespace];
    if (reason !== undefined)
      throw new KubeError('read', { code: 403, status: { reason, message: 'no' } });
  };
  const refuse = async (): Promise<never> => {
    throw new Error('routing only reads');
  };
  const cluster: Cluster = {
    list: async (type, { namespace, metadataOnly = false }, each) => {
      ask(`list ${type.kind}${metadataOnly ? ' metadata' : ''}`, namespace);
      for (const one of objects)
        if (one.kind === type.kind && (one.metadata.namespace ?? '') === namespace) each(one);
    },
    getMetadata: async (type, { namespace, name }) => {
      ask(`get ${type.kind} ${name}`, namespace);
      return objects.find(
        ({ kind, metadata }) =>
          kind === type.kind && metadata.namespace === namespace && metadata.name === name,
      )?.metadata;
    },
    get: refuse,
    apply: refuse,
    create: refuse,
    patch: refuse,
    remove: refuse,
    traffic: {},
    withTimeout: () => cluster,
  };
  const clients = {
    log: createLog(() => undefined, 'ERROR'),
    identity: defaultIdentity,
    now: () => new Date(),
  };
  const run: Run = {
    cluster,
    clients,
    limits: { deadline: Number.POSITIVE_INFINITY, memory: openMemory()('local') },
    policy: { trigger: 'audit', seed: 1 },
    nodePorts: nodePortsOf(cluster),
  };
  return {
    asked,
    requests: () => asked.length,
    route: (children: readonly ChildKey[], of: readonly Kind[] = kinds) =>
      affectedBy(run, { kinds: of, namespaces: undefined }, { children, referred: [] }),
    routeBoth: (
      children: readonly ChildKey[],
      referred: readonly ChildKey[],
      of: readonly Kind[],
    ) => affectedBy(run, { kinds: of, namespaces: undefined }, { children, referred }),
    routeReferred: (
      referred: readonly ChildKey[],
      of: readonly Kind[],
      namespaces?: readonly string[],
    ) => affectedBy(run, { kinds: of, namespaces }, { children: [], referred }),
  };
}

const object = (type: { kind: string }, namespace: string, name: string): KubeObject =>
  ({
    apiVersion: apiVersionOf(type === foo ? foo : website),
    kind: type.kind,
    metadata: { namespace, name, uid: `${type.kind}-${namespace}-${name}`, generation: 1 },
    spec: type === foo ? { deploymentName: name, replicas: 1 } : { imageTag: 'v1' },
  }) as unknown as KubeObject;

const ownedBy = (child: KubeObject, owner: Kind, over: object = {}): KubeObject => {
  const name = `owner-${child.metadata.name}`;
  const { kind } = owner;
  const reference = { apiVersion: apiVersionOf(owner), kind, name, uid: 'x', controller: true };
  const ownerReferences: readonly OwnerReference[] = [{ ...reference, ...over }];
  return { ...child, metadata: { ...child.metadata, ownerReferences } };
};

const places = fc.tuple(
  fc.constantFrom('a', 'b', 'c'),
  fc.integer({ min: 0, max: 14 }).map((n) => `x-${n}`),
);
const resources = fc
  .tuple(fc.constantFrom(foo, website), places)
  .map(([kind, at]) => object(kind, ...at));
const living = fc
  .tuple(fc.constantFrom(...types), places, fc.constantFrom(undefined, foo, website))
  .map(([type, at, owner]) => {
    const child = object(type, ...at);
    return owner === undefined ? child : ownedBy(child, owner);
  });
const keys = fc
  .tuple(fc.constantFrom(...types), places, fc.constantFrom({}, { deleted: true as const }))
  .map(([type, [namespace, name], deletion]): ChildKey => ({ type, namespace, name, ...deletion }));
const idOf = ({ type, namespace, name }: ChildKey): string => `${type.kind} ${namespace} ${name}`;

it('owners of many children are those found for each child, with fewer requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.oneof(resources, living), {
        maxLength: 40,
        size: 'max',
        selector: ({ kind, metadata: { namespace, name } }) => `${kind} ${namespace} ${name}`,
      }),
      fc.uniqueArray(keys, { maxLength: 60, size: 'max', selector: idOf }),
      async (objects, children) => {
        const { route, requests } = world(objects);
        const together = await route(children);
        expect(requests()).toBeLessThanOrEqual(types.length * 8 + kinds.length * 3);
        const alone = await Promise.all(children.map((child) => route([child])));
        const textOf = (owners: typeof alone) =>
          mergeRequests(owners.flatMap(({ requests }) => requests))
            .map((request) => JSON.stringify(request))
            .toSorted();
        expect(textOf([together])).toEqual(textOf(alone));
        expect(together.errors).toEqual([]);
      },
    ),
    effort(600),
  );
});

it('owners in other namespaces are found if one namespace cannot be read', async () => {
  const { route } = world([object(foo, 'a', 'x'), object(foo, 'b', 'x')], {
    a: 'Forbidden',
  });
  const of = (namespace: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      type: deployment,
      namespace,
      name: n === 0 ? 'x' : `x-${n}`,
    }));
  const { requests, errors } = await route([...of('a', 20), ...of('b', 20)]);
  expect(requests).toEqual([{ kind: groupResource(foo), namespace: 'b', name: 'x' }]);
  expect(errors).toHaveLength(1);
});

it('whole kinds are listed if there are more namespaces than allowed requests', async () => {
  const { route, requests } = world([]);
  const children = Array.from({ length: 65 }, (_, n) => ({
    type: service,
    namespace: `ns-${n}`,
    name: 'x',
  }));
  expect(await route(children)).toEqual({
    requests: [{ kind: groupResource(website) }],
    errors: [],
  });
  expect(requests()).toBe(0);
});

// Fails if only the namespaces are limited, because each takes a list of every type and of every kind.
it('the lookup of deleted children costs no more requests than its limit, and misses no owner', async () => {
  const anywhere = fc
    .tuple(fc.constantFrom(...allTypes), fc.nat(40), fc.nat(12))
    .map(([type, ns, n]): ChildKey => ({ type, namespace: `ns-${ns}`, name: `x-${n}` }));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(anywhere, { maxLength: 400, size: 'max', selector: idOf }),
      fc.uniqueArray(fc.tuple(fc.nat(40), fc.nat(12)), { maxLength: 20, selector: String }),
      async (children, owners) => {
        const objects = owners.map(([ns, n]) => object(foo, `ns-${ns}`, `x-${n}`));
        const { route, requests } = world(objects);
        const found = await route(children, allKinds);
        expect(requests()).toBeLessThanOrEqual(2 * 64);
        for (const { metadata } of objects) {
          const isLost = children.some(
            ({ type, namespace, name }) =>
              type === deployment && namespace === metadata.namespace && name === metadata.name,
          );
          const isFound = found.requests.some(
            ({ kind, namespace = metadata.namespace, name = metadata.name }) =>
              kind === groupResource(foo) &&
              namespace === metadata.namespace &&
              name === metadata.name,
          );
          if (isLost) expect(isFound).toBe(true);
        }
      },
    ),
    effort(200),
  );
});

it('a resource whose kind throws while it computes children is included', async () => {
  const fails = (): never => {
    throw new Error('a bug');
  };
  const { route } = world([object(foo, 'a', 'x')]);
  const lost = { type: deployment, namespace: 'a', name: 'other' };
  expect((await route([lost])).requests).toEqual([]);
  const { requests } = await route([lost], [{ ...foo, desired: fails }]);
  expect(requests).toEqual([{ kind: groupResource(foo), namespace: 'a', name: 'x' }]);
});

const fooReader = {
  ...foo,
  refersTo: [service],
  references: ({ name, namespace }: { readonly name: string; readonly namespace: string }) => [
    { type: service, namespace, name },
  ],
};

it('the resources that refer to an object are found with one list for each namespace', async () => {
  const { routeReferred, requests } = world([
    object(foo, 'a', 'x'),
    object(foo, 'a', 'y'),
    object(foo, 'b', 'x'),
  ]);
  const services = ['x', 'z'].map((name) => ({ type: service, namespace: 'a', name }));
  expect(await routeReferred(services, [fooReader])).toEqual({
    requests: [{ kind: groupResource(foo), namespace: 'a', name: 'x' }],
    errors: [],
  });
  expect(requests()).toBe(1);
});

describe('a kind that selects Services', () => {
  const selects = (from?: 'all'): Kind => ({
    ...fooReader,
    reads: { some: { type: service, selector: () => ({}), ...present({ from }) } },
    references: () => {
      const requirements = requirementsOf({ matchLabels: { app: 'shop' } }) as Requirements;
      const namespace = from === 'all' ? '' : 'a';
      return [{ type: service, namespace, name: '(app=shop)', selector: requirements }];
    },
  });
  const labelled = (name: string, app: string, namespace = 'a') => {
    const one = object(service, namespace, name);
    return { ...one, metadata: { ...one.metadata, labels: { app } } };
  };
  const changed = (count: number, namespace = 'a') =>
    Array.from({ length: count }, (_, at) => ({ type: service, namespace, name: `x-${at}` }));

  it.each([1, 9])('is found by the labels of one of %s changed Services', async (count) => {
    const { routeReferred, asked } = world([object(foo, 'a', 'x'), labelled('x-0', 'shop')]);
    const { requests } = await routeReferred(changed(count), [selects()]);
    expect(requests).toEqual([{ kind: groupResource(foo), namespace: 'a', name: 'x' }]);
    expect(asked).toHaveLength(2);
    const other = world([object(foo, 'a', 'x'), labelled('x-0', 'other')]);
    const all = { type: service, namespace: 'a', name: 'x-0' };
    expect((await other.routeReferred([all], [selects()])).requests).toEqual([]);
  });

  it('is found in all namespaces if it selects there', async () => {
    const { routeReferred, asked } = world([labelled('x-0', 'shop', 'b')]);
    await routeReferred(changed(1, 'b'), [selects('all')]);
    expect(asked).toEqual(['get Service x-0 b', 'list Foo ']);
  });

  it('is found in each of the configured namespaces if it selects there', async () => {
    const places = ['a', 'b'];
    const objects = [...places.map((one) => object(foo, one, 'x')), labelled('x-0', 'shop', 'b')];
    const { routeReferred } = world(objects);
    const { requests } = await routeReferred(changed(1, 'b'), [selects('all')], places);
    expect(requests).toEqual(places.map((one) => fooRequest('x', one)));
  });

  it('is found if a Service of its namespace is gone', async () => {
    const { routeReferred } = world([object(foo, 'a', 'x'), object(foo, 'b', 'x')]);
    expect((await routeReferred(changed(1), [selects()])).requests).toEqual([
      { kind: groupResource(foo), namespace: 'a', name: 'x' },
    ]);
  });

  it('is not found if a Service has no labels', async () => {
    const { routeReferred } = world([object(foo, 'a', 'x'), object(service, 'a', 'x-0')]);
    expect((await routeReferred(changed(1), [selects()])).requests).toEqual([]);
  });

  it('is reconciled as a whole if too many Services have changed in too many namespaces', async () => {
    const { routeReferred, requests } = world([]);
    const some = Array.from({ length: 65 }, (_, at) => changed(9, `ns-${at}`)).flat();
    expect((await routeReferred(some, [selects()])).requests).toEqual([
      { kind: groupResource(foo) },
    ]);
    expect(requests()).toBe(0);
  });
});

it('whole kinds are listed if objects to which they refer changed in many namespaces', async () => {
  const { routeReferred, requests } = world([object(foo, 'a', 'x')]);
  const services = Array.from({ length: 65 }, (_, at) => ({
    type: service,
    namespace: `ns-${at}`,
    name: 'x',
  }));
  expect(await routeReferred(services, [fooReader, website])).toEqual({
    requests: [{ kind: groupResource(foo) }],
    errors: [],
  });
  expect(requests()).toBe(0);
});

it('a resource whose kind throws while it computes references is included', async () => {
  const references = (): never => {
    throw new Error('a bug');
  };
  const { routeReferred } = world([object(foo, 'a', 'x')]);
  const written = { type: service, namespace: 'a', name: 'other' };
  const { requests } = await routeReferred([written], [{ ...fooReader, references }]);
  expect(requests).toEqual([{ kind: groupResource(foo), namespace: 'a', name: 'x' }]);
});

const fooRequest = (name?: string, namespace = 'a') =>
  reconcileRequest(groupResource(foo), namespace, name);
const numbered = (count: number, type: ChildKey['type'], namespace = 'a') =>
  Array.from({ length: count }, (_, at): ChildKey => ({ type, namespace, name: `x-${at}` }));

describe.each([1, 9])('the controller of one of %s children', (count) => {
  const children = numbered(count, deployment);
  /**
   * Opens a cluster with the Deployment x-0 with a controller, and a Foo that desires a Deployment of that
   * name.
   */
  const given = (owner: Kind, over: object = {}) =>
    world([ownedBy(object(deployment, 'a', 'x-0'), owner, over), object(foo, 'a', 'x-0')]);

  it('is its owner, even if another resource desires that name', async () => {
    const { requests } = await given(foo).route(children);
    expect(requests).toEqual([fooRequest('owner-x-0')]);
  });

  it('may be of any of the kinds', async () => {
    const { requests } = await given(website).route(children);
    expect(requests).toEqual([reconcileRequest(groupResource(website), 'a', 'owner-x-0')]);
  });

  it('may be of another version', async () => {
    const { requests } = await given(foo, { apiVersion: 'example.com/v7' }).route(children);
    expect(requests).toEqual([fooRequest('owner-x-0')]);
  });

  it('may have the longest legal name', async () => {
    const name = 'n'.repeat(253);
    expect((await given(foo, { name }).route(children)).requests).toEqual([fooRequest(name)]);
  });

  it.each([
    { reason: 'of no kind of ours', over: { kind: 'Other' } },
    { reason: 'of another group', over: { apiVersion: 'example.org/v1' } },
    { reason: 'of a group with the same beginning', over: { apiVersion: 'example.com.evil/v1' } },
    { reason: 'without a name', over: { name: undefined } },
    { reason: 'with a name that is no string', over: { name: 7 } },
    { reason: 'with an apiVersion that is no string', over: { apiVersion: null } },
    { reason: 'with a name that is too long', over: { name: 'n'.repeat(254) } },
    { reason: 'with a name that would select by two fields', over: { name: 'a,b=c' } },
    { reason: 'with an illegal name', over: { name: 'A_b' } },
    { reason: 'with an empty name', over: { name: '' } },
    { reason: 'that is not to a controller', over: { controller: false } },
  ])('is unknown with an owner reference $reason', async ({ over }) => {
    const { requests, errors } = await given(foo, over).route(children);
    expect(requests).toEqual([fooRequest('x-0')]);
    expect(errors).toEqual([]);
  });

  it('is found for a deleted child, together with the resources that desire its name', async () => {
    const [first, ...more] = children;
    const { requests } = await given(foo).route([{ ...first!, deleted: true }, ...more]);
    expect(requests).toEqual([fooRequest('owner-x-0'), fooRequest('x-0')]);
  });
});

describe('the requests for children', () => {
  it('are one for each of up to eight children, and one list of metadata for more', async () => {
    const few = world([]);
    await few.route(numbered(8, deployment));
    expect(few.asked.slice(0, 8)).toEqual(
      Array.from({ length: 8 }, (_, at) => `get Deployment x-${at} a`),
    );
    const many = world([]);
    await many.route(numbered(9, deployment));
    expect(many.asked[0]).toBe('list Deployment metadata a');
  });

  it('are at most 64, and so are the following lists of resources', async () => {
    const children = Array.from({ length: 64 }, (_, at) => numbered(1, service, `ns-${at}`)).flat();
    const { route, requests } = world([]);
    expect((await route(children.slice(0, 8))).requests).toEqual([]);
    expect(requests()).toBe(16);
    const all = world([]);
    expect((await all.route(children)).requests).toEqual([]);
    expect(all.requests()).toBe(128);
  });
});

describe('the resources that may desire a deleted child', () => {
  it('are those of each kind that owns the type of the child', async () => {
    const { route } = world([object(website, 'a', 'x-0'), object(foo, 'a', 'x-0')]);
    expect((await route(numbered(1, deployment))).requests).toEqual([
      reconcileRequest(groupResource(website), 'a', 'x-0'),
      fooRequest('x-0'),
    ]);
    expect((await route(numbered(1, service))).requests).toEqual([
      reconcileRequest(groupResource(website), 'a', 'x-0'),
    ]);
  });

  it.each([
    { reason: 'NotFound', errors: 0 },
    { reason: 'Forbidden', errors: 1 },
  ])('are unknown if they cannot be listed: $reason', async ({ reason, errors }) => {
    const { routeReferred } = world([], { a: reason });
    const found = await routeReferred(numbered(1, service), [fooReader]);
    expect(found.requests).toEqual([]);
    expect(found.errors).toHaveLength(errors);
  });

  it('exclude one with an invalid spec', async () => {
    const invalid = () => ({ invalid: 'no' }) as const;
    const { routeBoth } = world([object(foo, 'a', 'x-0')]);
    const kind = { ...fooReader, desired: invalid, references: invalid };
    const lost = numbered(1, deployment);
    const referred = numbered(1, service);
    expect((await routeBoth(lost, referred, [kind])).requests).toEqual([]);
  });

  it('do not call `references` if only children changed, nor `desired` if only referenced objects changed', async () => {
    const fails = (): never => {
      throw new Error('a bug');
    };
    const { route, routeReferred } = world([object(foo, 'a', 'x')]);
    const other = { namespace: 'a', name: 'other' };
    const lost = await route(
      [{ ...other, type: deployment }],
      [{ ...fooReader, references: fails }],
    );
    expect(lost.requests).toEqual([]);
    const written = { ...other, type: service };
    const referred = await routeReferred([written], [{ ...fooReader, desired: fails }]);
    expect(referred.requests).toEqual([]);
  });

  it('are those in the namespace of the change', async () => {
    const { routeBoth } = world(
      ['a', 'b'].flatMap((place) => [object(foo, place, 'x-0'), object(foo, place, 'x-1')]),
    );
    const lost = numbered(1, deployment, 'a');
    const referred = [{ type: service, namespace: 'b', name: 'x-1' }];
    const { requests } = await routeBoth(lost, referred, [fooReader]);
    expect(requests).toEqual([fooRequest('x-0', 'a'), fooRequest('x-1', 'b')]);
  });

  it('depend only on the changes in their namespace', async () => {
    const fails = (): never => {
      throw new Error('a bug');
    };
    const { routeBoth } = world([object(foo, 'a', 'x'), object(foo, 'b', 'x')]);
    const lost = numbered(1, deployment, 'a');
    const referred = numbered(1, service, 'b');
    const unwilling = { ...fooReader, desired: fails };
    expect((await routeBoth(lost, referred, [unwilling])).requests).toEqual([fooRequest('x', 'a')]);
    const unreadable = { ...fooReader, references: fails };
    expect((await routeBoth(lost, referred, [unreadable])).requests).toEqual([
      fooRequest('x', 'b'),
    ]);
  });

  it('include those that had the child, because desired children may depend on references or the time', async () => {
    const known = [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x-0' },
      { apiVersion: 'v1', kind: 'Pod', name: 'x-1' },
    ];
    const had = { ...object(foo, 'a', 'other'), status: { children: known } };
    const fresh = object(foo, 'a', 'fresh');
    const lost = numbered(2, deployment);
    const { route } = world([had, fresh]);
    expect((await route(lost, [fooReader])).requests).toEqual([fooRequest('other')]);
    expect(await route(lost.slice(1), [fooReader])).toEqual({ requests: [], errors: [] });
    expect((await route(lost, [foo])).requests).toEqual([fooRequest('other')]);
  });
});

it('a resource is found by any of its references', async () => {
  const references = () => ['one', 'two'].map((name) => ({ type: service, namespace: 'a', name }));
  const { routeReferred } = world([object(foo, 'a', 'x')]);
  const [, second] = references();
  const { requests } = await routeReferred([second!], [{ ...fooReader, references }]);
  expect(requests).toEqual([fooRequest('x')]);
});

it('whole kinds are listed if as many children as referenced objects changed', async () => {
  const { routeBoth } = world([]);
  const places = Array.from({ length: 65 }, (_, at) => `ns-${at}`);
  const lost = places.flatMap((place) => numbered(1, deployment, place));
  const referred = places.flatMap((place) => numbered(1, service, place));
  expect((await routeBoth(lost, referred, [fooReader])).requests).toEqual([
    { kind: groupResource(foo) },
  ]);
});

const cluster = { ...fooReader, scope: 'Cluster' as const };

it('cluster-scoped resources are found by children and objects in any namespace', async () => {
  const { namespace: _, ...metadata } = object(foo, '', 'x-0').metadata;
  const resource = { ...object(foo, '', 'x-0'), metadata } as KubeObject;
  const child = ownedBy(object(deployment, 'b', 'x-1'), cluster);
  const { route, asked } = world([resource, child]);
  const desired = () => [{ type: deployment, name: 'x-0', namespace: 'a', body: {} }];
  const kind = { ...cluster, desired: desired as unknown as Kind['desired'] };
  const children = [...numbered(1, deployment), { type: deployment, namespace: 'b', name: 'x-1' }];
  expect((await route(children, [kind])).requests).toEqual([
    { kind: groupResource(foo), name: 'owner-x-1' },
    { kind: groupResource(foo), name: 'x-0' },
  ]);
  expect(asked.at(-1)).toBe('list Foo ');
});
