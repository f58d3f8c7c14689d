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
import { definitionProblems } from '../../shared/kinds/checks/definition.ts';
import type { Child } from '../../shared/kinds/child.ts';
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

const definitions: Record<string, Case> = {
  Sound: { reason: 'no other field is required', given: {}, want: [] },
  Missing: {
    reason: 'each missing field is named',
    given: { kind: '', spec: undefined, samples: undefined, owns: null, children: undefined },
    want: [
      'kind is ""; it must be a string',
      'spec is undefined; it must be a Type.Object',
      'samples is undefined; it must be a list',
      'owns is null; it must be a list',
      'children is undefined; it must be a function',
    ],
  },
  Optional: {
    reason: 'optional fields are checked if they are set',
    given: { refuse: 'no', statusOf: undefined, rules: {} },
    want: ['rules is an object; it must be a list', 'refuse is "no"; it must be a function'],
  },
  OwnsUndefined: {
    reason: 'an undefined child type, as from a cyclic import, is refused',
    given: { owns: [configMap, undefined], formerly: ['configMap'] },
    want: [
      'owns[1] is undefined; it must be a child type, such as configMap, or a kind (undefined usually means that two files import each other)',
      'formerly[0] is "configMap"; it must be a child type, such as configMap, or a kind (undefined usually means that two files import each other)',
    ],
  },
  Items: {
    reason: 'each wrong item is named by its index',
    given: {
      samples: [{ name: 'a' }, null],
      rules: ['self.size > 1', { rule: 'true', message: 'm', holds: true }],
    },
    want: [
      'rules[0] is "self.size > 1"; it must be { message, holds }',
      'rules[1].holds is true; it must be a function',
      'samples[0].spec is undefined; it must be an object',
      'samples[1] is null; it must be { name, spec }',
    ],
  },
  Strings: {
    reason: 'a string is not accepted as a list',
    given: { shortNames: 'ca', categories: {}, conditions: 'Up' },
    want: [
      'shortNames is "ca"; it must be a list',
      'categories is an object; it must be a list',
      'conditions is "Up"; it must be a list',
    ],
  },
  StringsInLists: {
    reason: 'each wrong item is named by its index',
    given: { shortNames: ['ca', 1], categories: [null], conditions: [undefined] },
    want: [
      'shortNames[1] is 1; it must be a string',
      'categories[0] is null; it must be a string',
      'conditions[0] is undefined; it must be a name such as DatabaseReachable',
    ],
  },
  Status: {
    reason: 'a Type.Object has more than its fields',
    given: { status: Type.Object({}) },
    want: [
      'status is an object; it must be the fields themselves, such as { ready: Type.Integer() }, without Type.Object',
    ],
  },
  Scale: {
    reason: 'true is what a child type of Kubernetes has',
    given: { scale: true, status: 'ready' },
    want: [
      'status is "ready"; it must be an object of schemas: { ready: Type.Integer() }',
      'scale is true; it must be an object',
    ],
  },
  RolloutBudget: {
    reason: 'with a budget of 0, no resource would ever be changed',
    given: { rolloutBudget: 0 },
    want: ["rolloutBudget is 0; it must be a number such as 2, or a percentage such as '5%'"],
  },
  RolloutShare: {
    reason: 'a percentage above 100 is more than all',
    given: { rolloutBudget: '101%' },
    want: [
      'rolloutBudget is "101%"; it must be a number such as 2, or a percentage such as \'5%\'',
    ],
  },
  ReadsList: {
    reason: 'an earlier version had a list of types',
    given: { reads: [configMap] },
    want: ['reads is a list; it must be an object: { settings: { type, name } }'],
  },
  ReadsUndefined: {
    reason: 'a missing definition is named',
    given: { reads: { claims: { type: configMap }, backend: undefined } },
    want: ['reads.backend is undefined; it must be { type, name, names, selector, from }'],
  },
};

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
      { ...child, generated: { keys: ['k'], usedBy: [child] }, onCollision: 'fail' },
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
    reason: 'each wrong item is named by its index, including a hole',
    // biome-ignore lint/suspicious/noSparseArray: a kind may return one
    given: [child, false, , [child]],
    want: [
      'children[1] is false; it must be a child, or omitted: ...(condition ? [child(…)] : [])',
      'children[2] is undefined; it must be a child, or omitted: ...(condition ? [child(…)] : [])',
      'children[3] is a list; spread it: ...list',
    ],
  },
  Manifest: {
    reason: 'a child in the form of a manifest is refused',
    given: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }],
    want: [
      'children[0].type is undefined; it must be a type in owns: child(type, { name, body })',
      'children[0].name is undefined; it must be a string',
    ],
  },
  Name: {
    reason: 'a number as a name is refused',
    given: [{ ...child, name: 5 }],
    want: ['children[0].name is 5; it must be a string'],
  },
  Body: {
    reason: 'a child without a body is refused',
    given: [{ ...child, body: undefined }],
    want: ['children[0], ConfigMap a: body is undefined; it must be an object'],
  },
  Label: {
    reason: "a number as a label's value is refused",
    given: [
      { ...child, labels: { a: 1 } },
      { ...child, annotations: { b: true } },
    ],
    want: [
      'children[0], ConfigMap a: labels.a is 1; it must be a string',
      'children[1], ConfigMap a: annotations.b is true; it must be a string',
    ],
  },
  Needs: {
    reason: 'needs and actsOn take children, not their names',
    given: [
      { ...child, needs: ['b'] },
      { ...child, needs: child },
      { ...child, actsOn: { type: configMap } },
    ],
    want: [
      'children[0], ConfigMap a: needs[0] is "b"; it must be { type, name }',
      'children[1], ConfigMap a: needs is an object; it must be a list',
      'children[2], ConfigMap a: actsOn.name is undefined; it must be a string',
    ],
  },
  Recreate: {
    reason: 'a recreation has to accept a loss, and is refused for exposures',
    given: [
      { ...child, recreate: true },
      { ...child, recreate: 'yes' },
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
    ],
    want: [
      'children[1], ConfigMap a: recreate is "yes"; it must be true or "even-with-data"',
      'children[2], Secret a: `recreate` would delete data that a Secret may hold; set it to "even-with-data" to accept the loss',
      'children[3], StatefulSet a: `recreate` would delete data that a StatefulSet may hold; set it to "even-with-data" to accept the loss',
      'children[4], Gadget a: `recreate` would delete data that a Gadget may hold; set it to "even-with-data" to accept the loss',
      'children[6], Secret a: `recreate` would lose generated data; remove `recreate`',
      'children[7], Ingress a: `recreate` is not supported for Ingress; remove `recreate`',
      'children[8], Namespace a: `recreate` is not supported for Namespace; remove `recreate`',
      'children[9], Job a: `recreate` is not supported for a step; derive the name of the Job from its fields',
    ],
  },
  TimeToLive: {
    reason: 'a step is refused whose Job may be deleted before a run has seen its end',
    given: [
      { ...child, type: job, step: 'once', body: { spec: { ttlSecondsAfterFinished: 600 } } },
      { ...child, type: job, body: { spec: { ttlSecondsAfterFinished: 600 } } },
    ],
    want: [
      'children[0], Job a: a step is deleted once its completion is recorded; remove ttlSecondsAfterFinished',
    ],
  },
  Initial: {
    reason: 'a single path is given in a list',
    given: [{ ...child, initial: 'spec.replicas' }],
    want: [
      `children[0], ConfigMap a: initial is "spec.replicas"; it must be a list of paths, such as ['spec.replicas']`,
    ],
  },
  HandsOver: {
    reason: 'a single path is given in a list, too',
    given: [
      { ...child, handsOver: 'data.a' },
      { ...child, handsOver: [5] },
      { ...child, handsOver: ['data.a'] },
    ],
    want: [
      `children[0], ConfigMap a: handsOver is "data.a"; it must be a list of paths, such as ['spec.replicas']`,
      "children[1], ConfigMap a: handsOver is a list; it must be a list of paths, such as ['spec.replicas']",
    ],
  },
  Blocked: {
    reason: 'a block without a reason or message is refused',
    given: [
      { ...child, blocked: 'no claim' },
      { ...child, blocked: { reason: 'Missing', message: 'create the claim' } },
    ],
    want: ['children[0], ConfigMap a: blocked is "no claim"; it must be { reason, message }'],
  },
  TemplatesElsewhere: {
    reason: 'templates outside a Secret are refused',
    given: [{ ...child, templates: { a: { parts: [] } } }],
    want: ['children[0], ConfigMap a: templates are only for a Secret; remove them'],
  },
  Templates: {
    reason: 'a plain text as a template is refused',
    given: [{ ...child, type: secret, templates: { a: 'text' } }],
    want: ['children[0], Secret a: templates.a must be a result of template`…` or secretValue'],
  },
  Generated: {
    reason: 'generated data without usedBy is refused',
    given: [{ ...child, generated: { keys: ['a'] } }],
    want: ['children[0], ConfigMap a: generated.usedBy is undefined; it must be a list'],
  },
  GeneratedTwice: {
    reason: 'a Secret has one kind of generated data',
    given: [{ ...child, generated: { keys: ['a'], certificate: { commonName: 'a' }, usedBy: [] } }],
    want: [
      'children[0], ConfigMap a: generated must have exactly one of keys, keyPair and certificate',
    ],
  },
  KeyPair: {
    reason: 'a key pair without both keys is refused',
    given: [{ ...child, generated: { keyPair: { privateKey: 'id' }, usedBy: [] } }],
    want: [
      'children[0], ConfigMap a: generated.keyPair.publicKey is undefined; it must be a string of 1 to 253 characters',
    ],
  },
  Algorithm: {
    reason: 'few algorithms are known',
    given: [
      {
        ...child,
        generated: { keyPair: { privateKey: 'a', publicKey: 'b', algorithm: 'dsa' }, usedBy: [] },
      },
    ],
    want: [
      'children[0], ConfigMap a: generated.keyPair.algorithm is "dsa"; it must be "ed25519", "ecdsa" or "rsa"',
    ],
  },
  Certificate: {
    reason: 'a certificate is for a name',
    given: [{ ...child, generated: { certificate: { issuer: 'ca' }, usedBy: [] } }],
    want: [
      'children[0], ConfigMap a: generated.certificate must have a commonName, because the first of dnsNames is absent or has more than 64 characters',
    ],
  },
  NotAscii: {
    reason: 'a certificate has no names in other scripts; they have to be in Punycode',
    given: [
      { ...child, generated: { certificate: { commonName: 'a', dnsNames: ['ü.de'] }, usedBy: [] } },
    ],
    want: [
      'children[0], ConfigMap a: generated.certificate.dnsNames[0] is "ü.de"; it must be a DNS name of 1 to 253 ASCII characters',
    ],
  },
  Days: {
    reason: 'a certificate expires',
    given: [{ ...child, generated: { certificate: { commonName: 'a', days: 0 }, usedBy: [] } }],
    want: [
      'children[0], ConfigMap a: generated.certificate.days is 0; it must be an integer from 1 to 36500',
    ],
  },
  OnCollision: {
    reason: 'an unknown onCollision is refused',
    given: [{ ...child, onCollision: 'adopt' }],
    want: [
      'children[0], ConfigMap a: onCollision is "adopt"; it must be "fail" or "adopt-if-unowned"',
    ],
  },
};

describe('definitionProblems', () => {
  it.each(casesOf(definitions))('%s', (_, { given, want }) => {
    expect(definitionProblems({ ...definition, ...(given as object) })).toEqual(want);
  });
});

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
