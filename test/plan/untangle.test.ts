import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import type { Place } from '../../shared/plan/drift/places.ts';
import { parentOf, tangleOf } from '../../shared/plan/drift/untangle.ts';
import { casesOf } from '../support/cases.ts';
import { applied, type Draft, edited } from '../support/edits.ts';
import { identity } from '../support/observe.ts';

/** The name of a Service's port in managedFields. */
const itemOf = (port: number): string => `k:{"port":${port},"protocol":"TCP"}`;
const port80 = itemOf(80);

const empty = (apiVersion: string, kind: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-11-26T10:00:00Z',
  },
});

interface Case {
  readonly reason: string;
  readonly kind?: readonly [string, string];
  readonly desired: JsonObject;
  readonly before?: JsonObject;
  readonly edit: (draft: Draft) => void;
  readonly places: readonly string[];
  readonly want: readonly JsonObject[] | undefined;
}

const strategy = (fields: JsonObject): JsonObject => ({ spec: { strategy: fields } });
const service = (ports: readonly JsonObject[]): JsonObject => ({ spec: { ports } });
const port = { port: 80, protocol: 'TCP', name: 'http' };

const cases: Record<string, Case> = {
  Named: {
    reason: 'removes the value of others at the path, and restores ours',
    desired: strategy({ type: 'Recreate' }),
    edit: ({ spec }) => {
      spec.strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } };
    },
    places: ['spec.strategy.rollingUpdate'],
    want: [
      { op: 'replace', path: '/spec/strategy/type', value: 'Recreate' },
      { op: 'remove', path: '/spec/strategy/rollingUpdate' },
    ],
  },
  Wider: {
    reason: 'keeps only our fields below a wider path',
    desired: strategy({ rollingUpdate: { maxUnavailable: 0 } }),
    edit: ({ spec }) => {
      spec.strategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0 };
    },
    places: ['spec.strategy.rollingUpdate'],
    want: [
      { op: 'replace', path: '/spec/strategy/rollingUpdate/maxUnavailable', value: 0 },
      { op: 'remove', path: '/spec/strategy/rollingUpdate/maxSurge' },
    ],
  },
  Capital: {
    reason: 'accepts a cause that capitalizes the name of a field',
    kind: ['v1', 'Service'],
    desired: { spec: { type: 'ClusterIP' } },
    edit: ({ spec }) => {
      spec.loadBalancerSourceRanges = ['10.0.0.0/8'];
    },
    places: ['spec.LoadBalancerSourceRanges'],
    want: [{ op: 'remove', path: '/spec/loadBalancerSourceRanges' }],
  },
  Free: {
    reason: 'removes nothing if others hold nothing at the path',
    desired: strategy({ type: 'Recreate' }),
    edit: ({ metadata }) => {
      metadata.labels = { x: 'y' };
    },
    places: ['spec.strategy.type'],
    want: undefined,
  },
  Outside: {
    reason: 'keeps values of others at other paths',
    desired: strategy({ type: 'Recreate' }),
    edit: ({ spec }) => {
      spec.replicas = 7;
      spec.strategy.rollingUpdate = { maxSurge: 1 };
    },
    places: ['spec.strategy.rollingUpdate'],
    want: [{ op: 'remove', path: '/spec/strategy/rollingUpdate' }],
  },
  Dropped: {
    reason: 'removes a field of ours that is no longer desired, as the apply would',
    before: { spec: { strategy: { type: 'Recreate' }, paused: true } },
    desired: strategy({ type: 'Recreate' }),
    edit: ({ spec }) => {
      spec.strategy.rollingUpdate = { maxSurge: 1 };
    },
    places: ['spec.strategy.rollingUpdate'],
    want: [
      { op: 'remove', path: '/spec/strategy/rollingUpdate' },
      { op: 'remove', path: '/spec/paused' },
    ],
  },
};

const liveOf = ({
  kind = ['apps/v1', 'Deployment'],
  before,
  desired,
  edit,
}: Omit<Case, 'reason' | 'places' | 'want'>) => {
  const [apiVersion, name] = kind;
  const fields = { apiVersion, kind: name, ...(before ?? desired) };
  const first = applied(empty(apiVersion, name), { by: identity.name }, fields as never);
  return edited(first, { by: 'kubectl-edit' }, edit);
};

describe('the path of a field in an error', () => {
  const containers = [{ name: 'side' }, { name: 'app', image: 'a' }];
  const desired = { spec: { paused: true, template: { spec: { containers } } } };
  const tangle = tangleOf(liveOf({ desired, edit: () => {} }), desired, identity);

  it.each<[string, Place]>([
    ['spec', ['spec']],
    ['spec.Paused', ['spec', 'paused']],
    ['metadata.labels[app.kubernetes.io/name]', ['metadata', 'labels', 'app.kubernetes.io/name']],
    [
      'spec.template.spec.containers[1].resources.requests[cpu]',
      [
        'spec',
        'template',
        'spec',
        'containers',
        'k:{"name":"app"}',
        'resources',
        'requests',
        'cpu',
      ],
    ],
    [
      'spec.template.spec.tolerations[0].key',
      ['spec', 'template', 'spec', 'tolerations', 0, 'key'],
    ],
  ])('%s', (field, want) => {
    expect(tangle.placeOf(field)).toEqual(want);
  });

  it('is widened up to the item of a list, but never to the whole object', () => {
    expect(parentOf(['spec', 'ports', port80, 'name'])).toEqual(['spec', 'ports', port80]);
    expect(parentOf(['spec', 'ports', port80])).toBeUndefined();
    expect(parentOf(['spec', 'ports', 0])).toBeUndefined();
    expect(parentOf(['spec', 'strategy', 'type'])).toEqual(['spec', 'strategy']);
    expect(parentOf(['spec', 'strategy'])).toBeUndefined();
  });
});

describe('the removal of fields of others', () => {
  it.each(casesOf(cases))('%s', (_, { reason, places, want, ...given }) => {
    const tangle = tangleOf(liveOf(given), given.desired, identity);
    const sorted = (operations: readonly JsonObject[] | undefined) =>
      operations?.toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1));
    expect(sorted(tangle.without(places.map(tangle.placeOf))), reason).toEqual(sorted(want));
  });

  it('includes items of others in a list of ours', () => {
    const live = liveOf({
      kind: ['v1', 'Service'],
      desired: service([port]),
      edit: ({ spec }) => {
        spec.ports[0].port = 8080;
      },
    });
    const tangle = tangleOf(live, service([port]), identity);
    const others = tangle.otherItems([tangle.placeOf('spec.ports[1].name')]);
    expect(others).toEqual([['spec', 'ports', itemOf(8080)]]);
    expect(tangle.newItems()).toEqual([['spec', 'ports', port80]]);
    expect(tangle.without(others)).toEqual([{ op: 'replace', path: '/spec/ports', value: [port] }]);
    expect(tangle.holders([tangle.placeOf('spec.ports[0].port')])).toEqual(['kubectl-edit']);
  });

  it('finds items by their index after the apply', () => {
    const named = (name: string, number: number) => ({ ...port, name, port: number });
    const desired = service([named('a', 80), named('b', 81), named('c', 82)]);
    const live = liveOf({
      kind: ['v1', 'Service'],
      desired,
      edit: ({ spec }) => {
        spec.ports[0].port = 90;
        spec.ports[2].port = 92;
        spec.ports.push(named('d', 93));
      },
    });
    // The server stores 90, 80, 81, 92, 93, 82: others' items precede the next item that both have.
    const tangle = tangleOf(live, desired, identity);
    const places = ['spec.ports[1].name', 'spec.ports[5].name'].map(tangle.placeOf);
    const equal = tangle.equalItems(places);
    expect(tangle.newItems()).toEqual([80, 82].map((number) => ['spec', 'ports', itemOf(number)]));
    expect(equal).toEqual([90, 92].map((number) => ['spec', 'ports', itemOf(number)]));
    const left = [named('a', 80), named('b', 81), named('d', 93), named('c', 82)];
    expect(tangle.without(equal)).toEqual([{ op: 'replace', path: '/spec/ports', value: left }]);
    expect(tangle.equalItems([tangle.placeOf('spec.ports[1].nodePort')])).toEqual([]);
  });

  it('removes each item once, wherever its list is', () => {
    const own = { name: 'a', ports: [{ containerPort: 80, protocol: 'TCP' }] };
    const side = { name: 'side' };
    const containers = (list: readonly JsonObject[]) => ({
      spec: { template: { spec: { containers: list } } },
    });
    const live = liveOf({
      desired: containers([own]),
      edit: ({ spec }) => {
        const ports = [{ containerPort: 81, protocol: 'TCP' }, ...own.ports];
        spec.template.spec.containers = [side, { ...own, ports }];
      },
    });
    const at = 'spec.template.spec.containers';
    const places = [`${at}[0]`, `${at}[0]`, `${at}[0].name`, `${at}[1].ports[0]`];
    const want = [{ op: 'replace', path: `/${at.replaceAll('.', '/')}`, value: [own] }];
    const tangle = tangleOf(live, containers([own]), identity);
    for (const order of [places, places.toReversed()])
      expect(tangle.without(order.map(tangle.placeOf))).toEqual(want);
  });

  it('removes no item of ours, even if the server names the index of another item', () => {
    const own = { ...port, nodePort: 1 };
    const desired = service([own]);
    const live = liveOf({
      kind: ['v1', 'Service'],
      desired,
      edit: ({ spec }) => {
        spec.ports = [{ ...port, port: 81, name: 'x' }, ...spec.ports];
      },
    });
    // Without the first item, the server's index is that of our item.
    const tangle = tangleOf(live, desired, identity);
    const places = ['spec.ports[0]', 'spec.ports[0].nodePort'].map(tangle.placeOf);
    const want = [{ op: 'replace', path: '/spec/ports', value: [own] }];
    expect(tangle.without(places)).toEqual(want);
  });
});
