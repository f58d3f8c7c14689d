import { expect, it } from 'vitest';
import type { Operator } from '../../infra/cli/operator.ts';
import { requireFound, type ScopeOptions, scopeFrom } from '../../infra/cli/scope.ts';
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

it('a cluster-scoped resource that is not there is named without a namespace', () => {
  expect(() => requireFound({ kind: 'Team', name: 'red' }, 0)).toThrow('there is no Team red:');
});
