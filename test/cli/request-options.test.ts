import { describe, expect, it } from 'vitest';
import {
  type ReconcileRequestOptions,
  requestFrom,
  requireFound,
} from '../../infra/cli/base/request-options.ts';
import type { Session } from '../../infra/cli/base/session.ts';
import { didYouMean } from '../../infra/similar.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { ReconcileRequest } from '../../shared/reconcile-request.ts';
import type { Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { team } from '../support/team.ts';

/** A session whose context has the namespace `own`. */
const session = {
  namespace: 'own',
  config: { kinds: [team, foo], namespaces: undefined },
} as unknown as Session;

const understood: Record<
  string,
  { given: ReconcileRequestOptions; words: string[]; want: object }
> = {
  'a name of a namespaced kind is in the namespace of the context': {
    given: { kind: 'Foo' },
    words: ['shop'],
    want: { kind: 'Foo', namespace: 'own', name: 'shop' },
  },
  'a name of a cluster-scoped kind has no namespace': {
    given: { kind: 'teams' },
    words: ['red'],
    want: { kind: 'teams', name: 'red' },
  },
  'KIND selects all resources of a kind': { given: {}, words: ['foos'], want: { kind: 'foos' } },
  'KIND NAME selects a resource': {
    given: {},
    words: ['foo', 'shop'],
    want: { kind: 'foo', namespace: 'own', name: 'shop' },
  },
  'KIND/NAME selects a resource': {
    given: { namespace: 'a' },
    words: ['Foo/shop'],
    want: { kind: 'Foo', namespace: 'a', name: 'shop' },
  },
  'KIND/NAME of a cluster-scoped kind has no namespace': {
    given: { allNamespaces: true },
    words: ['team/red'],
    want: { kind: 'team', name: 'red' },
  },
  '-A selects everything': { given: { allNamespaces: true }, words: [], want: {} },
  '-A with a kind selects all resources of the kind': {
    given: { allNamespaces: true },
    words: ['Foo'],
    want: { kind: 'Foo' },
  },
};

it.each(Object.entries(understood))('requestFrom: %s', (_, { given, words, want }) => {
  expect(requestFrom(session, given, words)).toEqual(want);
});

const refused: Record<string, { given: ReconcileRequestOptions; words: string[]; says: string }> = {
  'a name alone': {
    given: {},
    words: ['shop'],
    says: 'there is no kind "shop"; known kinds: Team, Foo; a resource is named as KIND NAME or KIND/NAME',
  },
  'a misspelt kind': { given: {}, words: ['Fooo', 'shop'], says: 'did you mean Foo' },
  'no name': { given: {}, words: ['Foo/'], says: '"Foo/" names no resource: write KIND/NAME' },
  'NAMESPACE/NAME as in the output': {
    given: {},
    words: ['Foo', 'default/shop'],
    says: '"default/shop" is not a NAME: write Foo shop -n default',
  },
  'NAMESPACE/NAME with --kind': {
    given: { kind: 'Foo' },
    words: ['default/shop'],
    says: '"default/shop" is not a NAME: write Foo shop -n default',
  },
  'two names': { given: {}, words: ['Foo', 'a', 'b'], says: 'names no single resource' },
  'two resources': { given: {}, words: ['Foo/a', 'Foo/b'], says: 'names no single resource' },
  'a kind twice': { given: { kind: 'Foo' }, words: ['Foo', 'a'], says: 'names no single resource' },
  'a name in all namespaces': {
    given: { allNamespaces: true },
    words: ['Foo', 'shop'],
    says: '-A selects all namespaces, but Foo shop is in one: use -n NAMESPACE instead',
  },
};

it.each(Object.entries(refused))('refuses %s', (_, { given, words, says }) => {
  expect(() => requestFrom(session, given, words)).toThrow(says);
});

it('a namespace is refused for a cluster-scoped kind', () => {
  const given = { kind: 'Team', namespace: 'a' };
  expect(() => requestFrom(session, given, ['red'])).toThrow(
    'Team is cluster-scoped: omit namespace',
  );
});

describe('a name that does not exist', () => {
  const missing: Record<
    string,
    { request: ReconcileRequest; there: readonly object[]; want: string }
  > = {
    'of a cluster-scoped kind has no namespace': {
      request: { kind: 'Team', name: 'red' },
      there: [],
      want: 'there is no Team red; to list those that exist: reconciler status Team',
    },
    'is corrected': {
      request: { kind: 'Foo', namespace: 'own', name: 'shpo' },
      there: [
        { namespace: 'own', name: 'shop' },
        { namespace: 'own', name: 'other' },
      ],
      want: 'there is no Foo own/shpo; did you mean shop?',
    },
    'is found in another namespace': {
      request: { kind: 'Foo', namespace: 'own', name: 'shop' },
      there: [
        { namespace: 'team-b', name: 'shop' },
        { namespace: 'own', name: 'shops' },
      ],
      want: 'there is no Foo own/shop; there is one in team-b: give its namespace with -n',
    },
  };

  it.each(Object.entries(missing))('requestFrom: %s', async (_, { request, there, want }) => {
    const list: Cluster['list'] = async (_type, _selection, each) => {
      for (const metadata of there) each({ metadata } as KubeObject);
    };
    const begin = async () => ({ cluster: { list } }) as Run;
    await expect(requireFound({ ...session, begin }, request, 0)).rejects.toThrow(want);
  });

  it('is reported even if its kind cannot be listed', async () => {
    const begin = () => Promise.reject(new Error('forbidden'));
    const request = { kind: 'Foo', namespace: 'own', name: 'shop' };
    await expect(requireFound({ ...session, begin }, request, 0)).rejects.toThrow(
      'there is no Foo own/shop; to list those that exist: reconciler status Foo',
    );
  });
});

const words: Record<string, { word: string; want: string; why: string }> = {
  transposed: { word: 'Wesbite', want: 'Website', why: 'two letters are swapped' },
  shortened: { word: 'websit', want: 'Website', why: 'a letter is missing' },
  unrelated: { word: 'Nope', want: '', why: 'no kind is similar enough' },
};

it.each(Object.entries(words))('suggests a kind for a word that is %s: %j', (_, { word, want }) => {
  const said = didYouMean(word, ['Website', 'websites', 'Foo', 'foos']);
  expect(said).toBe(want === '' ? '' : `; did you mean ${want}?`);
});
