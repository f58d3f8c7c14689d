import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import {
  configMap,
  defineChildType,
  ingress,
  job,
  namespace,
  persistentVolumeClaim,
  secret,
  statefulSet,
} from '../../index.ts';
import { checkedChildren } from '../../shared/kinds/checks/children.ts';
import type { Child } from '../../shared/kinds/child.ts';
import { roleBinding } from '../../shared/kinds/child-types/small-groups.ts';
import { casesOf } from '../support/cases.ts';

const definition = {
  group: 'example.org',
  version: 'v1',
  kind: 'Cache',
  plural: 'caches',
  spec: Type.Object({}),
  samples: [],
  owns: [configMap],
  children: () => [],
};
const gadget = { group: 'example.org', version: 'v1', kind: 'Gadget', plural: 'gadgets' };
const child = { type: configMap, name: 'a', body: {} };

interface Case {
  readonly reason: string;
  readonly given: unknown;
  readonly want: readonly string[];
}

const childCases: Record<string, Case> = {
  Sound: {
    reason: 'all fields that name another child are set',
    given: [
      {
        ...child,
        labels: { a: 'b', c: undefined },
        annotations: {},
        needs: [child],
        actsOn: child,
      },
      { ...child, type: secret, generated: { keys: ['k'], usedBy: [child] }, onCollision: 'fail' },
    ],
    want: [],
  },
  Nothing: {
    reason: 'children() that returns nothing is refused',
    given: undefined,
    want: ['children returned undefined; it must return a list of children, and not be async'],
  },
  One: {
    reason: 'a child outside a list is refused',
    given: child,
    want: ['children returned an object; it must return a list of children, and not be async'],
  },
  Conditional: {
    reason: 'each wrong item is named by its index',
    given: [child, false, [child], { ...child, type: {} }],
    want: [
      'children[1] is false; it must be a child, or omitted: ...(condition ? [child(…)] : [])',
      'children[2] is a list; it must be a child, or omitted: ...(condition ? [child(…)] : [])',
      'children[3] is an object; it must be a child, or omitted: ...(condition ? [child(…)] : [])',
    ],
  },
  Recreate: {
    reason: 'a recreation has to accept a loss, and is refused for exposures',
    given: [
      { ...child, recreate: true },
      { ...child, type: secret, recreate: true },
      { ...child, type: statefulSet, recreate: true },
      { ...child, type: defineChildType({ ...gadget }), recreate: true },
      { ...child, type: persistentVolumeClaim, recreate: 'even-with-data' },
      {
        ...child,
        type: secret,
        recreate: 'even-with-data',
        generated: { keys: ['k'], usedBy: [] },
      },
      { ...child, type: ingress, recreate: true },
      { ...child, type: namespace, recreate: 'even-with-data' },
      { ...child, type: job, step: 'once', recreate: true },
      { ...child, type: job, recreate: true },
      { ...child, type: roleBinding, recreate: true },
    ],
    want: [
      'children[1], Secret a: `recreate` would delete data that a Secret may hold; set it to "even-with-data" to accept the loss',
      'children[2], StatefulSet a: `recreate` would delete data that a StatefulSet may hold; set it to "even-with-data" to accept the loss',
      'children[3], Gadget a: `recreate` would delete data that a Gadget may hold; set it to "even-with-data" to accept the loss',
      'children[5], Secret a: `recreate` would lose generated data; remove `recreate`',
      'children[6], Ingress a: `recreate` is not supported for Ingress; remove `recreate`',
      'children[7], Namespace a: `recreate` is not supported for Namespace; remove `recreate`',
      'children[8], Job a: `recreate` is not supported for a step; put a digest of its fields into its name',
    ],
  },
  TimeToLive: {
    reason: 'a step is refused whose Job may be deleted before a run has seen its end',
    given: [
      { ...child, type: job, step: 'once', body: { spec: { ttlSecondsAfterFinished: 600 } } },
      { ...child, type: job, body: { spec: { ttlSecondsAfterFinished: 600 } } },
    ],
    want: [
      'children[0], Job a: a TTL could delete the step before a run has seen it complete; remove `ttlSecondsAfterFinished`',
    ],
  },
  TemplatesElsewhere: {
    reason: 'values outside a Secret could be read, and generated ones would change in every run',
    given: [
      { ...child, templates: { a: { parts: [] } } },
      { ...child, generated: { keys: ['k'], usedBy: [] } },
    ],
    want: [
      'children[0], ConfigMap a: only a Secret may have `templates` or `generated`; keep the values in a Secret',
      'children[1], ConfigMap a: only a Secret may have `templates` or `generated`; keep the values in a Secret',
    ],
  },
  GeneratedTwice: {
    reason: 'a Secret has one kind of generated data',
    given: [
      {
        ...child,
        type: secret,
        generated: { keys: ['a'], certificate: { commonName: 'a' }, usedBy: [] },
      },
    ],
    want: [
      'children[0], Secret a: `generated` must have exactly one of `keys`, `keyPair` and `certificate`',
    ],
  },
  GeneratedNothing: {
    reason: 'a key that a list of the spec lacks would be generated again in every run',
    given: [
      { ...child, type: secret, generated: { keys: [[][0]], usedBy: [] } },
      {
        ...child,
        type: secret,
        generated: { keyPair: { privateKey: 'a', publicKey: [][0] }, usedBy: [] },
      },
      { ...child, type: secret, generated: { keys: ['a'], usedBy: [{ ...child, name: [][0] }] } },
    ],
    want: [
      "children[0], Secret a: `generated` has an empty or undefined key of the Secret's data",
      "children[1], Secret a: `generated` has an empty or undefined key of the Secret's data",
      'children[2], Secret a: generated.usedBy[0] has no name',
    ],
  },
  Certificate: {
    reason: 'a certificate is for a name',
    given: [{ ...child, type: secret, generated: { certificate: { issuer: 'ca' }, usedBy: [] } }],
    want: [
      'children[0], Secret a: generated.certificate must have a commonName of 1 to 64 characters, because the default, the first of dnsNames, is absent or longer',
    ],
  },
  NotAscii: {
    reason: 'a certificate has no names in other scripts; they have to be in Punycode',
    given: [
      {
        ...child,
        type: secret,
        generated: { certificate: { commonName: 'a', dnsNames: ['ü.de'] }, usedBy: [] },
      },
    ],
    want: [
      'children[0], Secret a: generated.certificate has "ü.de" in dnsNames; a DNS name has 1 to 253 ASCII characters',
    ],
  },
  Days: {
    reason: 'a certificate expires',
    given: [
      {
        ...child,
        type: secret,
        generated: { certificate: { commonName: 'a', days: 0 }, usedBy: [] },
      },
    ],
    want: [
      'children[0], Secret a: generated.certificate has 0 days; days must be an integer from 1 to 36500',
    ],
  },
};

describe('what children returns', () => {
  const problemsOf = (given: unknown): readonly string[] => {
    try {
      checkedChildren(definition, 'children', given as readonly Child[]);
      return [];
    } catch (error) {
      return (error as Error).message.split('\n').map((line) => line.replace(/^Cache: /, ''));
    }
  };

  it.each(casesOf(childCases))('%s', (_, { given, want }) => {
    expect(problemsOf(given)).toEqual(want);
  });
});
