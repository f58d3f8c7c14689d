import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChildKey } from '../../shared/audit/route.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/errors.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/define-kind.ts';
import { apiVersionOf, groupResource, type KubeObject } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { readRepairs } from '../../shared/reconcile/contested.ts';
import { openMemory } from '../../shared/reconcile/memory-budget.ts';
import { ownersOf } from '../../shared/reconcile/owners-of-child.ts';
import { readNodePorts } from '../../shared/reconcile/refusal.ts';
import { mergeScopes } from '../../shared/scope.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { effort } from '../properties/runs.ts';
import { kinds as allKinds } from '../support/config.ts';

const kinds = [website, foo];
const types = [deployment, service];
const allTypes = [...new Set(allKinds.flatMap(({ owns }) => owns))];

/** Objects by type; what is asked of a namespace in `broken` fails. */
function world(objects: readonly KubeObject[], broken: readonly string[] = []) {
  let requests = 0;
  const ask = (namespace: string | undefined): void => {
    requests++;
    if (namespace !== undefined && broken.includes(namespace))
      throw new KubeError('read', { code: 403, status: { reason: 'Forbidden', message: 'no' } });
  };
  const refuse = async (): Promise<never> => {
    throw new Error('routing only reads');
  };
  const cluster: Cluster = {
    list: async (type, { namespace }, each) => {
      ask(namespace);
      for (const one of objects)
        if (one.kind === type.kind && one.metadata.namespace === namespace) each(one);
    },
    getMetadata: async (type, { namespace, name }) => {
      ask(namespace);
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
  const run = {
    cluster,
    log: createLog(() => undefined, 'ERROR'),
    identity: defaultIdentity,
    deadline: Number.POSITIVE_INFINITY,
    trigger: 'audit' as const,
    now: () => new Date(),
    nodePorts: readNodePorts(),
    repairs: readRepairs(),
    memoryBudget: openMemory()('local'),
  };
  return {
    requests: () => requests,
    route: (children: readonly ChildKey[], of: readonly Kind[] = kinds) =>
      ownersOf(run, of, { children, referred: [] }),
    routeReferred: (referred: readonly ChildKey[], of: readonly Kind[]) =>
      ownersOf(run, of, { children: [], referred }),
  };
}

const object = (type: { kind: string }, namespace: string, name: string): KubeObject =>
  ({
    apiVersion: apiVersionOf(type === foo ? foo : website),
    kind: type.kind,
    metadata: { namespace, name, uid: `${type.kind}-${namespace}-${name}`, generation: 1 },
    spec: type === foo ? { deploymentName: name, replicas: 1 } : { imageTag: 'v1' },
  }) as unknown as KubeObject;

const ownedBy = (child: KubeObject, owner: typeof foo | typeof website): KubeObject => ({
  ...child,
  metadata: {
    ...child.metadata,
    ownerReferences: [
      {
        apiVersion: apiVersionOf(owner),
        kind: owner.kind,
        name: `owner-${child.metadata.name}`,
        uid: 'x',
        controller: true,
      },
    ],
  },
});

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

it('finds the same owners as looking up each child, with few requests', async () => {
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
          mergeScopes(owners.flatMap(({ scopes }) => scopes))
            .map((scope) => JSON.stringify(scope))
            .toSorted();
        expect(textOf([together])).toEqual(textOf(alone));
        expect(together.errors).toEqual([]);
      },
    ),
    effort(600),
  );
});

it('finds what it can if a namespace cannot be read', async () => {
  const { route } = world([object(foo, 'a', 'x'), object(foo, 'b', 'x')], ['a']);
  const of = (namespace: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      type: deployment,
      namespace,
      name: n === 0 ? 'x' : `x-${n}`,
    }));
  const { scopes, errors } = await route([...of('a', 20), ...of('b', 20)]);
  expect(scopes).toEqual([{ kind: groupResource(foo), namespace: 'b', name: 'x' }]);
  expect(errors).toHaveLength(1);
});

it('lists whole kinds if there are more namespaces than requests', async () => {
  const { route, requests } = world([]);
  const children = Array.from({ length: 65 }, (_, n) => ({
    type: service,
    namespace: `ns-${n}`,
    name: 'x',
  }));
  expect(await route(children)).toEqual({ scopes: [{ kind: groupResource(website) }], errors: [] });
  expect(requests()).toBe(0);
});

// Breaks with a bound on namespaces alone: each of them costs a list of every type and of every kind.
it('costs no more than its bound, whatever is deleted anywhere, and misses nothing', async () => {
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
        const { scopes } = await route(children, allKinds);
        expect(requests()).toBeLessThanOrEqual(2 * 64);
        for (const { metadata } of objects) {
          const isLost = children.some(
            ({ type, namespace, name }) =>
              type === deployment && namespace === metadata.namespace && name === metadata.name,
          );
          const isFound = scopes.some(
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

it('includes a resource whose kind fails to compute its children', async () => {
  const fails = (): never => {
    throw new Error('a bug');
  };
  const { route } = world([object(foo, 'a', 'x')]);
  const lost = { type: deployment, namespace: 'a', name: 'other' };
  expect((await route([lost])).scopes).toEqual([]);
  const { scopes } = await route([lost], [{ ...foo, desired: fails }]);
  expect(scopes).toEqual([{ kind: groupResource(foo), namespace: 'a', name: 'x' }]);
});

const fooReader = {
  ...foo,
  refersTo: [service],
  references: ({ name, namespace }: { readonly name: string; readonly namespace: string }) => [
    { type: service, namespace, name },
  ],
};

it('finds the resources that refer to an object, with one list for each namespace', async () => {
  const { routeReferred, requests } = world([
    object(foo, 'a', 'x'),
    object(foo, 'a', 'y'),
    object(foo, 'b', 'x'),
  ]);
  const services = ['x', 'z'].map((name) => ({ type: service, namespace: 'a', name }));
  expect(await routeReferred(services, [fooReader])).toEqual({
    scopes: [{ kind: groupResource(foo), namespace: 'a', name: 'x' }],
    errors: [],
  });
  expect(requests()).toBe(1);
});

it('reads all resources of a kind, where what they refer to changed in many namespaces', async () => {
  const { routeReferred, requests } = world([object(foo, 'a', 'x')]);
  const services = Array.from({ length: 65 }, (_, at) => ({
    ...{ type: service, namespace: `ns-${at}`, name: 'x' },
  }));
  expect(await routeReferred(services, [fooReader, website])).toEqual({
    scopes: [{ kind: groupResource(foo) }],
    errors: [],
  });
  expect(requests()).toBe(0);
});

it('includes a resource whose kind fails to compute what it refers to', async () => {
  const references = (): never => {
    throw new Error('a bug');
  };
  const { routeReferred } = world([object(foo, 'a', 'x')]);
  const written = { type: service, namespace: 'a', name: 'other' };
  const { scopes } = await routeReferred([written], [{ ...fooReader, references }]);
  expect(scopes).toEqual([{ kind: groupResource(foo), namespace: 'a', name: 'x' }]);
});
