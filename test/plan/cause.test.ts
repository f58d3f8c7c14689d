import { describe, expect, it } from 'vitest';
import { type Cause, isAbout } from '../../shared/plan/drift/cause.ts';

const cause: Cause = {
  user: 'alice',
  agent: 'kubectl',
  time: '2026-11-22T10:00:00Z',
  verb: 'patch',
  kind: 'Deployment',
  namespace: 'a',
  name: 'shop',
};
const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' };

describe('isAbout', () => {
  it.each([
    ['matches a child in the namespace of its resource', child, 'a', true],
    ['does not match a child of the same name in another namespace', child, 'b', false],
    ['matches a child of a cluster-scoped resource', { ...child, namespace: 'a' }, '', true],
    [
      'does not match a child of a cluster-scoped resource in another namespace',
      { ...child, namespace: 'b' },
      '',
      false,
    ],
    ['does not match another name', { ...child, name: 'bar' }, 'a', false],
    ['does not match another kind', { ...child, kind: 'StatefulSet' }, 'a', false],
  ])('%s', (_, ref, namespace, want) => {
    expect(isAbout(cause, ref, namespace)).toBe(want);
  });

  it('matches a Namespace by its name, although its namespace is empty', () => {
    const made = { ...cause, kind: 'Namespace', namespace: '', name: 'a' };
    expect(isAbout(made, { apiVersion: 'v1', kind: 'Namespace', name: 'a' }, '')).toBe(true);
  });
});
