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
    ['a child in its resource’s namespace', child, 'a', true],
    ['a child of that name in another namespace', child, 'b', false],
    ['a child of a cluster-scoped resource', { ...child, namespace: 'a' }, '', true],
    ['such a child in another namespace', { ...child, namespace: 'b' }, '', false],
    ['another name', { ...child, name: 'bar' }, 'a', false],
    ['another kind', { ...child, kind: 'StatefulSet' }, 'a', false],
  ])('%s', (_, ref, namespace, want) => {
    expect(isAbout(cause, ref, namespace)).toBe(want);
  });

  it('matches a Namespace by its name, although it is in no namespace', () => {
    const made = { ...cause, kind: 'Namespace', namespace: '', name: 'a' };
    expect(isAbout(made, { apiVersion: 'v1', kind: 'Namespace', name: 'a' }, '')).toBe(true);
  });
});
