import { expect, it } from 'vitest';
import { watchedTypes } from '../../infra/generate/knative/api-server-source.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { ResourceType } from '../../shared/kubernetes.ts';

const type = (kind: string, plural: string, more: Partial<ResourceType> = {}): ResourceType => ({
  group: 'example.com',
  version: 'v1',
  kind,
  plural,
  ...more,
});
const kindOf = (own: ResourceType, owns: readonly ResourceType[]) =>
  ({ ...own, owns, refersTo: [] }) as unknown as Kind;

it.each([
  ['Foo', 'foos', true],
  ['Ingress', 'ingresses', true],
  ['NetworkPolicy', 'networkpolicies', true],
  ['Endpoints', 'endpoints', true],
  ['Gateway', 'gateways', false],
  ['Mouse', 'mice', false],
])('an ApiServerSource watches %s, whose plural is %s: %s', (kind, plural, isWatched) => {
  const { watched, unwatched } = watchedTypes([kindOf(type(kind, plural), [])], undefined);
  expect([watched.length, unwatched.length]).toEqual(isWatched ? [1, 0] : [0, 1]);
});

it('an ApiServerSource watches each type once, and with namespaces no cluster-scoped one', () => {
  const child = type('Part', 'parts');
  const wide = type('Zone', 'zones', { scope: 'Cluster' });
  const kinds = [
    kindOf(type('Foo', 'foos'), [child, wide]),
    kindOf(type('Bar', 'bars'), [child, wide]),
  ];
  const names = (namespaces?: readonly string[]) =>
    watchedTypes(kinds, namespaces).watched.map(({ kind }) => kind);
  expect(names()).toEqual(['Foo', 'Part', 'Zone', 'Bar']);
  expect(names(['a'])).toEqual(['Foo', 'Part', 'Bar']);
});
