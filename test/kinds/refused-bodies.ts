/** Bodies and definitions that do not compile, each for one reason: `npm run check` fails if one does. */

import { Type } from 'typebox';
import { child } from '../../shared/kinds/child.ts';
import { ofType } from '../../shared/kinds/child-type.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { cronJob, job } from '../../shared/kinds/child-types/batch.ts';
import { configMap, pod, secret, service } from '../../shared/kinds/child-types/core.ts';
import { networkPolicy } from '../../shared/kinds/child-types/networking.ts';
import { role } from '../../shared/kinds/child-types/small-groups.ts';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';

const name = 'shop';
const selector = { matchLabels: { app: 'shop' } };
const template = { metadata: { labels: { app: 'shop' } }, spec: { containers: [{ name }] } };

export const refused = [
  // @ts-expect-error: a misspelt field
  child(deployment, { name, body: { spec: { replica: 1, selector, template } } }),
  // @ts-expect-error: a string for a number
  child(deployment, { name, body: { spec: { replicas: '1', selector, template } } }),
  // @ts-expect-error: a misspelt required field
  child(pod, { name, body: { spec: { containers: [{ naem: 'x' }] } } }),
  // @ts-expect-error: the name that a generated client gives a field called `from`
  child(networkPolicy, { name, body: { spec: { podSelector: {}, ingress: [{ _from: [] }] } } }),
  // @ts-expect-error: only its controller writes the status
  child(deployment, { name, body: { spec: { selector, template }, status: {} } }),
  // @ts-expect-error: labels and annotations have fields of their own
  child(configMap, { name, body: { metadata: { labels: {} } } }),
  // @ts-expect-error: there is no such field at the top
  child(configMap, { name, body: { spec: {} } }),
  // @ts-expect-error: a ConfigMap holds strings
  child(configMap, { name, body: { data: { port: 80 } } }),
  // @ts-expect-error: the server moves it to `data`, so it would always be drift
  child(secret, { name, body: { stringData: { password: 'x' } } }),
  // @ts-expect-error: a port is identified by its protocol, too
  child(service, { name, body: { spec: { ports: [{ port: 80 }] } } }),
  // @ts-expect-error: a required field is missing
  child(cronJob, { name, body: { spec: { jobTemplate: {} } } }),
  // @ts-expect-error: a misspelt field in a list
  child(role, { name, body: { rules: [{ apiGroup: [''], resources: ['pods'], verbs: ['get'] }] } }),
  // @ts-expect-error: a fact of another type
  ofType([], deployment)[0]?.facts.succeeded,
  // @ts-expect-error: an outcome that no Job has
  ofType([], job)[0]?.facts.outcome === 'Done',
  // @ts-expect-error: a misspelt field next to the body
  child(configMap, { name, annotation: {}, body: {} }),
  // @ts-expect-error: a label is a string
  child(configMap, { name, labels: { a: 1 }, body: {} }),
  // @ts-expect-error: children are named by type and name
  child(configMap, { name, needs: ['b'], body: {} }),
  // @ts-expect-error: a single path is given in a list
  child(configMap, { name, initial: 'data.a', body: {} }),
  // @ts-expect-error: a plain text is no template
  child(secret, { name, templates: { a: 'text' }, body: {} }),
  // @ts-expect-error: the objects that use generated data have to be named
  child(secret, { name, generated: { keys: ['a'] }, body: {} }),
  // @ts-expect-error: an unknown word
  child(secret, { name, recreate: 'yes', body: {} }),
  // @ts-expect-error: another unknown word
  child(secret, { name, onCollision: 'adopt', body: {} }),
];

const certificate = defineChildType<{ spec: { secretName: string; dnsNames: string[] } }>({
  group: 'cert-manager.io',
  version: 'v1',
  kind: 'Certificate',
  plural: 'certificates',
});

const cache = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Cache',
  plural: 'caches',
  spec: Type.Object({
    megabytes: Type.Integer({ default: 64 }),
    ports: Type.Optional(Type.Array(Type.Object({ port: Type.Integer() }))),
  }),
  samples: [],
  owns: [],
  children: () => [],
});

export const refusedCustomResources = [
  // @ts-expect-error: a misspelt field
  child(certificate, { name, body: { spec: { secretname: 'x', dnsNames: [] } } }),
  // @ts-expect-error: a type that the kind's schema refuses
  child(cache, { name, body: { spec: { megabytes: '1Gi' } } }),
  // @ts-expect-error: a misspelt field in a list of the kind's schema
  child(cache, { name, body: { spec: { ports: [{ prot: 80 }] } } }),
  // @ts-expect-error: only runs for the kind write the status
  child(cache, { name, body: { spec: { megabytes: 1 }, status: {} } }),
];

const base = { group: 'example.org', version: 'v1', kind: 'Cache', plural: 'caches' } as const;
const empty = { ...base, spec: Type.Object({}), samples: [], owns: [configMap] } as const;
const children = () => [];
const one = { name, body: {} };

/** Bodies like those above, correctly written. */
export const accepted = [
  child(deployment, { name, body: { spec: { replicas: 1, selector, template } } }),
  child(networkPolicy, { name, body: { spec: { podSelector: {}, ingress: [{ from: [] }] } } }),
  child(secret, { name, body: { data: { password: 'eA==' }, type: undefined } }),
  child(service, { name, body: { spec: { ports: [{ port: 80, protocol: 'TCP' }] } } }),
  child(certificate, { name, body: { spec: { secretName: 'x', dnsNames: [] } } }),
  child(cache, { name, body: { spec: { megabytes: 1 } } }),
  // Leaves a field to the default of its kind.
  child(cache, { name, body: { spec: {} } }),
  child(defineChildType({ ...certificate }), { name, body: { spec: { anything: ['goes'] } } }),
  () => defineKind({ ...empty, children: () => [child(secret, one)] }),
];

/** `defineKind` and `defineChildType` do not check at run time what does not compile. */
export const refusedDefinitions = [
  // @ts-expect-error: a misspelt field
  () => defineKind({ ...empty, children, finalise: children }),
  // @ts-expect-error: a missing field
  () => defineKind(empty),
  // @ts-expect-error: a run does not wait for children
  () => defineKind({ ...empty, children: async () => [] }),
  // @ts-expect-error: a condition may yield false, which is no child
  () => defineKind({ ...empty, children: () => [name === 'a' && child(secret, one)] }),
  // @ts-expect-error: the fields themselves are given
  () => defineKind({ ...empty, status: Type.Object({}), children }),
  // @ts-expect-error: a misspelt field of an object to read
  () => defineKind({ ...empty, reads: { it: { type: configMap, nmae: () => 'a' } }, children }),
  // @ts-expect-error: the API server spells it differently
  () => defineKind({ ...empty, scope: 'cluster', children }),
  // @ts-expect-error: the status of a condition is a string
  () => defineKind({ ...empty, children, conditionsOf: () => [{ type: 'Up', status: true }] }),
  // @ts-expect-error: a misspelt field
  () => defineChildType({ ...base, readyness: () => undefined }),
];
