import { describe, expect, it } from 'vitest';
import type { Operator } from '../../infra/cli/operator.ts';
import { requireFound, type ScopeOptions, scopeFrom } from '../../infra/cli/scope.ts';
import { didYouMean } from '../../infra/cli/similar.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import type { Scope } from '../../shared/scope.ts';
import { foo } from '../../systems/foo.ts';
import { team } from '../support/team.ts';

/** As of a context whose namespace is `own`. */
const operator = {
  namespace: 'own',
  config: { kinds: [team, foo], namespaces: undefined },
} as unknown as Operator;

const scopes: Record<string, { given: ScopeOptions; name?: string; want: object }> = {
  'a name of a namespaced kind is in the context’s namespace': {
    given: { kind: 'Foo' },
    name: 'shop',
    want: { kind: 'Foo', namespace: 'own', name: 'shop' },
  },
  'a name of a cluster-scoped kind is in none': {
    given: { kind: 'teams' },
    name: 'red',
    want: { kind: 'teams', name: 'red' },
  },
};

it.each(Object.entries(scopes))('%s', (_, { given, name, want }) => {
  expect(scopeFrom(operator, given, name)).toEqual(want);
});

it('a namespace is refused for a cluster-scoped kind', () => {
  const given = { kind: 'Team', namespace: 'a' };
  expect(() => scopeFrom(operator, given, 'red')).toThrow(
    'Team is cluster-scoped: leave out namespace',
  );
});

describe('a name that is not there', () => {
  const missing: Record<string, { scope: Scope; there: readonly object[]; want: string }> = {
    'of a cluster-scoped kind has no namespace': {
      scope: { kind: 'Team', name: 'red' },
      there: [],
      want: 'there is no Team red: status --kind Team lists those that exist',
    },
    'is corrected': {
      scope: { kind: 'Foo', namespace: 'own', name: 'shpo' },
      there: [
        { namespace: 'own', name: 'shop' },
        { namespace: 'own', name: 'other' },
      ],
      want: 'there is no Foo own/shpo; did you mean shop?',
    },
    'is found in another namespace': {
      scope: { kind: 'Foo', namespace: 'own', name: 'shop' },
      there: [
        { namespace: 'team-b', name: 'shop' },
        { namespace: 'own', name: 'shops' },
      ],
      want: 'there is no Foo own/shop; there is one in team-b: give its namespace with -n',
    },
  };

  it.each(Object.entries(missing))('%s', async (_, { scope, there, want }) => {
    const list: Cluster['list'] = async (_type, _selection, each) => {
      for (const metadata of there) each({ metadata } as KubeObject);
    };
    const begin = async () => ({ cluster: { list } }) as Run;
    await expect(requireFound({ ...operator, begin }, scope, 0)).rejects.toThrow(want);
  });

  it('is reported even if its kind cannot be listed', async () => {
    const begin = () => Promise.reject(new Error('forbidden'));
    const scope = { kind: 'Foo', namespace: 'own', name: 'shop' };
    await expect(requireFound({ ...operator, begin }, scope, 0)).rejects.toThrow(
      'there is no Foo own/shop: status --kind Foo',
    );
  });
});

const words: Record<string, { word: string; want: string; why: string }> = {
  transposed: { word: 'Wesbite', want: 'Website', why: 'neighbours are swapped' },
  shortened: { word: 'websit', want: 'Website', why: 'a letter is missing' },
  unrelated: { word: 'Nope', want: '', why: 'nothing is near enough' },
};

it.each(Object.entries(words))('a word that is %s: %j', (_, { word, want }) => {
  const said = didYouMean(word, ['Website', 'websites', 'Foo', 'foos']);
  expect(said).toBe(want === '' ? '' : `; did you mean ${want}?`);
});
