import { expectConverged, expectReliable } from 'serverless-reconciler/testing';
import { expect, test, vi } from 'vitest';
import { isWhole } from '../properties/runs.ts';
import { definitionOf } from './definition.ts';
import { database, server, user } from './mariadb.ts';

vi.setConfig({ testTimeout: 180_000 });
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const search = isWhole ? { seconds: 30 } : { seconds: 2, seed: 1 };

const inDefault = (kind: string, name: string) => ({ kind, metadata: { name } });
const given = [
  definitionOf(server),
  {
    apiVersion: 'k8s.mariadb.com/v1alpha1',
    ...inDefault('MariaDB', 'mariadb'),
    spec: { rootPasswordSecretKeyRef: { name: 'root', key: 'password' } },
  },
  { apiVersion: 'v1', ...inDefault('Secret', 'root'), data: { password: 'cm9vdA==' } },
  { apiVersion: 'v1', ...inDefault('Secret', 'shop'), data: { password: 'c2hvcA==' } },
];

test.each([database, user])('a $kind obeys the laws of the engine', async (kind) => {
  const { children } = await expectConverged(kind, { given });
  expect(children).toEqual([expect.stringMatching(/^Job shop-create-/)]);
});

test.each([database, user])('no specification of a $kind breaks a law', async (kind) => {
  await expectReliable(kind, { given, ...search });
});
