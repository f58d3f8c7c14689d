import { expect, test } from 'vitest';
import { child, configMap, defineKind, secret, Type } from '../../index.ts';
import { rolloutTargetOf } from '../../shared/plan/decision/target.ts';
import { identity, observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { unexplored } from '../support/unexplored.ts';

const targetWith = (settings: { readonly pin: string; readonly text: string }): string => {
  const kind = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Vault',
    plural: 'vaults',
    spec: Type.Object({}),
    samples: [{ name: 'vault', spec: {} }],
    owns: [configMap, secret],
    children: ({ name }) => [
      child(configMap, { name, body: { data: { text: settings.text } } }),
      child(secret, { name, body: { data: { pin: btoa(settings.pin) } } }),
    ],
  });
  const resource = observeResource(foo());
  return rolloutTargetOf({ ...unexplored, identity, kind, resource, children: new Map() });
};

test('law 10 the rollout target, which a status shows, does not depend on values of Secrets', () => {
  const target = targetWith({ pin: '4711', text: 'a' });
  expect(target).toMatch(/^[\w-]{12}$/);
  expect(targetWith({ pin: '4712', text: 'a' })).toBe(target);
  expect(targetWith({ pin: '4711', text: 'b' })).not.toBe(target);
});
