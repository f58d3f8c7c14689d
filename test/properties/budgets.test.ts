import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { Place } from '../reconcile/engine.ts';
import { requestCounts } from '../reconcile/request-counts.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import { kindsFor } from '../support/config.ts';

const count = 12;

interface Budget {
  readonly spec: (at: number, place: Place) => JsonObject;
  /** Counts requests for one new resource, without the lists and the one for its status. */
  readonly cold: Readonly<Record<string, number>>;
}

const budgets: Readonly<Record<string, Budget>> = {
  Website: {
    spec: (_, { nodePort }) => ({ imageTag: 'v1', nodePort: nodePort() }),
    cold: { 'patch deployments': 1, 'patch services': 1 },
  },
  Foo: {
    spec: (at) => ({ deploymentName: `of-foo-${at}` }),
    // The request for the Event `Synced`.
    cold: { 'patch deployments': 1, 'create events': 1 },
  },
  Application: {
    spec: () => ({ greeting: 'Hello' }),
    cold: { 'patch secrets': 1, 'patch deployments': 1, 'patch services': 1 },
  },
  ContainerApp: {
    spec: () => ({
      image: 'nginx',
      endpoints: [
        { path: '/' },
        { path: '/b' },
        { path: '/c', scopes: ['u'] },
        { path: '/d', scopes: ['v', 'u'] },
        { path: '/e', scopes: ['u', 'v'] },
      ],
    }),
    // Three Ingresses, before each of which the resource is read and its Ingresses are listed.
    cold: {
      'get containerapps': 3,
      'list ingresses': 3,
      'patch deployments': 1,
      'patch services': 1,
      'patch horizontalpodautoscalers': 1,
      'patch ingresses': 3,
    },
  },
  Database: {
    spec: () => ({
      databaseName: 'mydb',
      username: 'admin',
      storage: { size: '1024Mi' },
      resources: { requests: { cpu: '0.5', memory: '1024Mi' }, limits: { cpu: 2 } },
    }),
    // The password in a separate request, after one read of the Secret and two of the objects that use it.
    cold: {
      'get secrets 404': 1,
      'get statefulsets 404': 2,
      'get persistentvolumeclaims 404': 2,
      'patch secrets': 2,
      'patch statefulsets': 1,
      'patch services': 1,
    },
  },
};

const kinds = kindsFor({
  authUrl: 'https://auth.example.com/check',
  ingressClass: 'nginx',
}).filter(({ kind }) => kind in budgets);
const types = [...new Set(kinds.flatMap(({ owns }) => owns)), ...kinds];
const lists = Object.fromEntries(types.map(({ plural }) => [`list ${plural}`, 1]));

const engine = useEngine();
let place: Place;
beforeAll(async () => {
  place = await engine.place();
});

beforeEach(async () => {
  await engine.cluster.controllers.settled();
  engine.cluster.requests.reset();
});

const times = (requests: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(requests).map(([what, number]) => [what, number * count]));

describe.each(kinds.map((kind) => ({ kind, name: kind.kind })))(
  `${count} of $name alone`,
  ({ kind, name }) => {
    test('cost, when new, one write for each child, one for their status, and no conflict', async () => {
      const { spec, cold } = budgets[name]!;
      for (let at = 0; at < count; at++) {
        await place.api.create(kind, `${name.toLowerCase()}-${at}`, { spec: spec(at, place) });
      }
      engine.cluster.requests.reset();
      // A run of more than ten seconds reads resources again.
      const now = new Date();
      const report = await engine.run({}, { kinds: [kind], now: () => now });
      expect(report.failures).toEqual([]);
      const children = Object.keys(cold).filter((what) => what.startsWith('patch'));
      const own = [kind, ...kind.owns].map(({ plural }) => [`list ${plural}`, 1] as const);
      const expected = { ...times(cold), [`patch ${kind.plural}/status`]: count };
      for (const [what, once] of own) expected[what] = (expected[what] ?? 0) + once;
      expect(requestCounts(engine)).toEqual(expected);
      const written = children.reduce((sum, what) => sum + (cold[what] ?? 0), 0);
      const generated = name === 'Database' ? 1 : 0;
      expect(report.outcomes.created).toBe((written - generated) * count);
    });
  },
);

describe(`${count} of each of these kinds`, () => {
  test('cost, once their pods run, one status for each whose status changes', async () => {
    await engine.run({}, { kinds });
    const statuses = Object.keys(requestCounts(engine)).filter((what) => !what.startsWith('list '));
    expect(statuses.every((what) => /^patch \w+\/status$/.test(what))).toBe(true);
  });

  test('cost, once converged, one list for each kind, and nothing else', async () => {
    const report = await engine.run({}, { kinds });
    expect(requestCounts(engine)).toEqual(lists);
    const total = count * kinds.length;
    expect(report.resources).toEqual({ total, unchanged: total, reconciled: 0 });
    expect(report.statusWrites).toBe(0);
  });
});
