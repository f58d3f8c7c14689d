import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configMap } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import {
  mergeRequests,
  type ReconcileRequest,
  reconcileRequest,
} from '../../shared/reconcile-request.ts';
import { areaOf, listsOf, maxLists, withinLists } from '../../shared/run/area.ts';
import { effort } from '../properties/runs.ts';
import { kinds } from '../support/config.ts';

const everywhere = { kinds, namespaces: undefined };
const costOf = (requests: readonly ReconcileRequest[], all: Parameters<typeof areaOf>[1]): number =>
  requests.reduce((sum, request) => sum + listsOf(areaOf(request, all)), 0);
const covers = (wide: ReconcileRequest, narrow: ReconcileRequest): boolean =>
  (['kind', 'namespace', 'name'] as const).every(
    (part) => wide[part] === undefined || wide[part] === narrow[part],
  );

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);
const request = fc
  .tuple(fc.constantFrom(...kinds), fc.nat(40), fc.option(fc.nat(20)))
  .map(([kind, ns, n]) =>
    reconcileRequest(groupResource(kind), `ns-${ns}`, n === null ? undefined : `x-${n}`),
  );

describe('the requests of a delivery', () => {
  it('cost few lists, or at most those of a resync, and cover the same resources', () => {
    fc.assert(
      fc.property(
        fc.array(request, { maxLength: 200, size: 'max' }),
        fc.constantFrom(
          undefined,
          ['ns-1', 'ns-2'],
          numbers(41).map((n) => `ns-${n}`),
        ),
        (given, namespaces) => {
          const all = { kinds, namespaces };
          const requests = mergeRequests(given);
          const within = withinLists(requests, all);
          for (const one of requests) expect(within.some((wide) => covers(wide, one))).toBe(true);
          const cost = costOf(within, all);
          expect(cost).toBeLessThanOrEqual(costOf(requests, all));
          const resync = kinds.map((kind) => reconcileRequest(groupResource(kind)));
          expect(cost).toBeLessThanOrEqual(Math.max(maxLists, costOf(resync, all)));
        },
      ),
      effort(600),
    );
  });

  it('are widened to namespaces first, and then to whole kinds', () => {
    const named = ['a', 'b'].flatMap((namespace) =>
      numbers(8).map((n) => reconcileRequest('containerapps.example.com', namespace, `x-${n}`)),
    );
    const other = reconcileRequest('foos.example.com', 'c', 'x');
    const kind = kinds.find((one) => one.kind === 'ContainerApp');
    const plural = kind === undefined ? '' : groupResource(kind);
    const requests = named.map((one) => ({ ...one, kind: plural }));
    expect(withinLists([...requests, other], everywhere)).toEqual([
      { kind: plural, namespace: 'a' },
      { kind: plural, namespace: 'b' },
      other,
    ]);
  });
});

describe('the lists of a delivery', () => {
  /** Builds a kind whose resources cost one list, and whose children cost `types` lists. */
  const kindOf = (name: string, types: number): Kind => {
    const owns = numbers(types).map((n) => ({ ...configMap, kind: `Child${n}`, plural: `c${n}` }));
    return { ...kinds[0]!, group: 'example.org', kind: name, plural: `${name}s`, owns } as Kind;
  };
  const named = (kind: Kind, count: number, namespace = 'a') =>
    numbers(count).map((n) => reconcileRequest(groupResource(kind), namespace, `x-${n}`));
  const [one, seven, many] = [kindOf('one', 0), kindOf('seven', 6), kindOf('many', 70)];
  const all = { kinds: [one, seven, many], namespaces: undefined };
  const inNamespace = (kind: Kind, namespace = 'a') =>
    reconcileRequest(groupResource(kind), namespace);
  const whole = (kind: Kind) => reconcileRequest(groupResource(kind));

  it.each([
    { reason: 'are up to 64 for the given requests', given: named(one, 64), want: named(one, 64) },
    {
      reason: 'are fewer, for wider requests, beyond 64',
      given: named(one, 65),
      want: [inNamespace(one)],
    },
    {
      reason: 'are widened for every kind, but no further than needed',
      given: [...named(one, 15), ...named(seven, 8)],
      want: [inNamespace(one), inNamespace(seven)],
    },
    {
      reason: 'are not widened if that saves nothing',
      given: named(many, 1),
      want: named(many, 1),
    },
    {
      reason: 'are widened to whole kinds if there are many namespaces',
      given: numbers(10).map((n) => inNamespace(seven, `ns-${n}`)),
      want: [whole(seven)],
    },
  ])('$reason', ({ given, want }) => {
    const strings = (requests: readonly ReconcileRequest[]) =>
      requests.map((request) => JSON.stringify(request)).toSorted();
    expect(strings(withinLists(given, all))).toEqual(strings(want));
  });
});
