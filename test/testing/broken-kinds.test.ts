import { AssertionError } from 'node:assert';
import { expect, test } from 'vitest';
import {
  type Child,
  type ChildType,
  defineKind,
  deployment,
  horizontalPodAutoscaler,
  type Kind,
  labelValue,
  secret,
  service,
  Type,
} from '../../index.ts';
import { expectConverged } from '../../testing/index.ts';

interface Given {
  readonly name: string;
  readonly spec: { readonly tags: string[] };
}

const kindWith = (owns: readonly ChildType[], children: (given: Given) => readonly Child[]): Kind =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Broken',
    plural: 'brokens',
    spec: Type.Object({ tags: Type.Array(Type.String(), { default: ['b', 'a'] }) }),
    samples: [{ name: 'one', spec: {} }],
    owns,
    children,
  });

const data = (text: string) => ({ data: { text: Buffer.from(text).toString('base64') } });
const ports = [{ port: 80, protocol: 'TCP' }];

const pods = (name: string) => ({
  selector: { matchLabels: { app: name } },
  template: {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'app', image: 'app:1' }] },
  },
});

let calls = 0;

const broken: Readonly<Record<string, { readonly kind: Kind; readonly says: string }>> = {
  'a name that differs between two calls': {
    kind: kindWith([secret], ({ name }) => [
      { type: secret, name: `${name}-${++calls % 100}`, body: data('x') },
    ]),
    says: `Broken default/one breaks the law "children() depends only on its arguments and does not change them":
  two calls of children() for this resource differ:
  Secret one-N: name: "one-N" → "one-N"`,
  },
  'a time in a field': {
    kind: kindWith([secret], ({ name }) => [
      { type: secret, name, body: data(new Date().toISOString().slice(0, 10)) },
    ]),
    says: `Broken default/one breaks the law "children() depends only on its arguments and does not change them":
  two calls of children() for this resource differ:
  Secret one: body.data.text: `,
  },
  'a change of the spec': {
    kind: kindWith([secret], ({ name, spec }) => [
      { type: secret, name, body: data(spec.tags.sort().join()) },
    ]),
    says: `Broken default/one breaks the law "children() depends only on its arguments and does not change them":
  children() changes spec.tags[0]: "b" → "a"
  children() throws: `,
  },
  'a status that cannot be computed': {
    kind: {
      ...kindWith([secret], ({ name }) => [{ type: secret, name, body: data('x') }]),
      ownStatus: () => {
        throw new TypeError('no port');
      },
    },
    says: `Broken default/one breaks the law "the first runs create every desired child":
  NotFinished: the kind's code fails: no port`,
  },
  'a child whose type is not in owns': {
    kind: kindWith([secret], ({ name }) => [{ type: service, name, body: { spec: { ports } } }]),
    says: `Broken default/one breaks the law "every child has a type in \`owns\`, and occurs once":
  Service one: services is not in \`owns\` (secrets)`,
  },
  'two children of one name': {
    kind: kindWith([secret], ({ name }) => [
      { type: secret, name, body: data('x') },
      { type: secret, name, body: data('y') },
    ]),
    says: `Broken default/one breaks the law "every child has a type in \`owns\`, and occurs once":
  Secret one: returned twice`,
  },
  'a child that the API server refuses': {
    kind: kindWith([service], ({ name }) => [{ type: service, name, body: { spec: {} } }]),
    says: `Broken default/one breaks the law "the first runs create every desired child":
  Service one does not exist
  Invalid: `,
  },
  'a field that the API server moves': {
    kind: kindWith([secret], ({ name }) => [
      { type: secret, name, body: { stringData: { text: 'x' } } },
    ]),
    says: `Broken default/one breaks the law "\`generate\` finds no problem with the kind":
  Secret one: \`body\` has \`stringData\`, which cannot be compared; `,
  },
  'a label that is too short for the longest names': {
    kind: kindWith([deployment], ({ name }) => [
      { type: deployment, name: 'app', body: { spec: pods(name) } },
    ]),
    says: `Broken default/one breaks the law "\`generate\` finds no problem with the kind":
  Broken: resource with a name of 253 characters: Deployment app: spec.selector.matchLabels: `,
  },
};

test.each(Object.entries(broken))(
  'expectConverged finds and names %s',
  async (_, { kind, says }) => {
    const found = await expectConverged(kind).catch((error: unknown) => error);
    expect(found).toBeInstanceOf(AssertionError);
    const message = (found as AssertionError).message.replaceAll(/one-\d+/g, 'one-N');
    expect(message.slice(0, says.length)).toBe(says);
  },
);

test('expectConverged accepts a value that the API server writes differently', async () => {
  const kind = kindWith([deployment, horizontalPodAutoscaler], ({ name }) => [
    { type: deployment, name: 'app', body: { spec: pods('app') } },
    {
      type: horizontalPodAutoscaler,
      name: 'app',
      labels: { name: labelValue(name) },
      body: {
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app' },
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '1000m' } },
            },
          ],
        },
      },
    },
  ]);
  const { children, repaired } = await expectConverged(kind);
  expect(children).toEqual(['Deployment app', 'HorizontalPodAutoscaler app']);
  expect(repaired).toBeGreaterThan(0);
});
