import { type TProperties, Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import {
  configMap,
  defineChildType,
  deployment,
  horizontalPodAutoscaler,
  job,
  persistentVolumeClaim,
  role,
  roleBinding,
  secret,
  service,
  statefulSet,
} from '../../index.ts';
import { checkKind } from '../../infra/check/check-kind.ts';
import type { Child } from '../../shared/kinds/child.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import type { NewCondition } from '../../shared/kinds/condition-types.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import type { Note } from '../../shared/kinds/kind.ts';
import { labelValue, workloadName } from '../../shared/kinds/names.ts';
import type { ReadDefinitions, Resource } from '../../shared/kinds/reads.ts';
import { nameAtMost, type Rule } from '../../shared/kinds/schema/rules.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { casesOf } from '../support/cases.ts';
import { kinds } from '../support/config.ts';

interface Spec {
  readonly items: string[];
  readonly limits: { size: number };
}

interface Cache {
  readonly owns?: readonly ChildType[];
  readonly formerly?: readonly ChildType[];
  readonly conditions?: readonly string[];
  readonly conditionsOf?: () => readonly NewCondition[];
  readonly status?: TProperties;
  readonly statusOf?: () => JsonObject;
  readonly samples?: readonly { readonly name: string; readonly spec: JsonObject }[];
  readonly rules?: readonly Rule[];
  readonly refuse?: () => string | undefined;
  readonly notes?: () => readonly Note[];
}

const signedBy = (issuer: string) => ({ certificate: { issuer, commonName: 'a' }, usedBy: [] });

const jobBody = {
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a:1' }] } },
  },
};

type Children = (resource: Resource<Spec>) => readonly Child[];

const cache = (children: Children, over: Cache = {}) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Cache',
    plural: 'caches',
    spec: Type.Object({
      items: Type.Array(Type.String(), { default: ['b', 'a'] }),
      limits: Type.Object({ size: Type.Integer({ default: 1 }) }, { default: {} }),
    }),
    samples: [{ name: 'cache-sample', spec: {} }],
    owns: [deployment, secret],
    ...over,
    children: children as (resource: Resource<unknown>) => readonly Child[],
  });

const one = (over: Partial<Child> = {}): Child => ({
  type: deployment,
  name: 'a',
  body: { spec: {} },
  ...over,
});

const rollout = defineChildType({
  group: 'example.org',
  version: 'v1',
  kind: 'Rollout',
  plural: 'rollouts',
});
const cluster = defineChildType({
  ...rollout,
  kind: 'Cluster',
  plural: 'clusters',
  scale: { specReplicasPath: '.spec.servers', statusReplicasPath: '.status.servers' },
});
const scaledObject = defineChildType({
  group: 'keda.sh',
  version: 'v1alpha1',
  kind: 'ScaledObject',
  plural: 'scaledobjects',
});
const scaling = (name: string, scaleTargetRef: JsonObject): Child =>
  one({ type: scaledObject, name, body: { spec: { scaleTargetRef } } });

const secretByHand = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' };
const ingressByHand = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
};

interface Case {
  readonly reason: string;
  readonly children: Children;
  readonly over?: Cache;
  readonly want: readonly (string | RegExp)[];
}

const up = { type: 'Up', status: 'True', reason: 'Answers', message: 'it answers' } as const;
let calls = 0;
const circle: JsonObject = { spec: {} };
(circle as Record<string, unknown>).spec = circle;

const cases: Record<string, Case> = {
  Sound: {
    reason: 'any name of a resource leads to legal names',
    children: ({ name, spec }) => [
      one({
        name: workloadName(`${name}-cache`),
        labels: { cache: labelValue(name) },
        body: { spec: { args: spec.items.toSorted(), absent: undefined } },
      }),
    ],
    want: [],
  },
  NoSample: {
    reason: 'a kind without samples is warned of',
    children: () => [],
    over: { samples: [] },
    want: ['Cache: `samples` is empty; add a sample, so that its children can be checked'],
  },
  SampleAgainstSchema: {
    reason: 'a problem of a sample names the path as users write it',
    children: () => [],
    over: { samples: [{ name: 'bad', spec: { items: [1] } }] },
    want: [/^Cache: sample bad: the kind itself refuses it: spec\.items\.0 must be string/],
  },
  SampleAgainstRule: {
    reason: 'a sample that breaks a rule on the resource is reported',
    children: () => [],
    over: { rules: [nameAtMost(3)] },
    want: [/^Cache: sample cache-sample: .* metadata\.name must have at most 3 characters$/],
  },
  SampleRefused: {
    reason: "a sample that the kind's `refuse` refuses is reported",
    children: () => [],
    over: { refuse: () => 'never' },
    want: ['Cache: sample cache-sample: the kind itself refuses it: never'],
  },
  Conditions: {
    reason: 'a declared condition may be returned',
    children: () => [],
    over: { conditions: ['Up'], conditionsOf: () => [up] },
    want: [],
  },
  ConditionUndeclared: {
    reason: 'an undeclared condition is refused, because it would never be removed',
    children: () => [],
    over: { conditions: ['Down'], conditionsOf: () => [up] },
    want: [
      'Cache: sample cache-sample: while no child exists: conditionsOf() returned "Up"; list it in `conditions`',
    ],
  },
  ConditionTwice: {
    reason:
      'a condition that is returned twice is refused, because the status could not be written',
    children: () => [],
    over: { conditions: ['Up'], conditionsOf: () => [up, up] },
    want: [/while no child exists: conditionsOf\(\) returned "Up" twice; return it once$/],
  },
  ConditionWithoutMessage: {
    reason: 'a message that a list of the spec lacks is refused for the same reason',
    children: () => [],
    over: { conditions: ['Up'], conditionsOf: () => [{ ...up, message: [][0] as never }] },
    want: [/while no child exists: conditionsOf\(\) returned "Up" without a reason or message$/],
  },
  StatusThrows: {
    reason: 'a status that throws for a resource without children is reported',
    children: () => [],
    over: {
      statusOf: () => {
        throw new TypeError('no children[0]');
      },
    },
    want: [
      /while no child exists: TypeError: no children\[0\] at \S+check-kind\.test\.ts:\d+:\d+$/,
    ],
  },
  StatusUndeclared: {
    reason: 'an undeclared status field is refused, because the API server would refuse the status',
    children: () => [],
    over: { statusOf: () => ({ phase: 'x' }) },
    want: [/: statusOf\(\)\.phase is not in the kind's status; declare it there$/],
  },
  StatusOfClock: {
    reason: 'the current time in a status is refused, because each run would write it',
    children: () => [],
    over: { status: { at: Type.Integer() }, statusOf: () => ({ at: Date.now() }) },
    want: [/: statusOf or conditionsOf returns a different value when called again; it must not/],
  },
  StatusOfOtherType: {
    reason: 'a status field of another type is refused, and may be omitted',
    children: () => [],
    over: {
      status: { count: Type.Integer(), phase: Type.String(), when: Type.String() },
      statusOf: () => ({ count: '1', phase: undefined }),
    },
    want: [/: statusOf\(\)\.count must be integer; it returned \{"count":"1"\}$/],
  },
  StatusAsync: {
    reason: 'a promise as the status is refused',
    children: () => [],
    over: { statusOf: (async () => ({})) as never },
    want: [/: statusOf\(\) is a promise, which is not a JSON value$/],
  },
  NotesNoList: {
    reason: 'notes that are not a list are refused, because no status could be written',
    children: () => [],
    over: { notes: (() => ({ type: 'Normal', reason: 'Up', message: 'it answers' })) as never },
    want: [/notes must return a list of { type, reason, message }, and must not be async$/],
  },
  Notes: {
    reason: 'a message may be empty',
    children: () => [],
    over: { notes: () => [{ type: 'Normal', reason: 'Up', message: '' }] },
    want: [],
  },
  SampleWithMore: {
    reason: 'a sample with additional fields is refused, as by the API server',
    children: () => [],
    over: { samples: [{ name: 'bad', spec: { limits: { sise: 1 } } }] },
    want: ['Cache: sample bad: spec.limits.sise is not in the schema; add it there, or remove it'],
  },
  Clock: {
    reason: 'the current time in a child is found, although both calls are within a millisecond',
    children: () => [one({ body: { spec: { day: new Date().getUTCDate() } } })],
    want: [
      /`children` returns a different Deployment a when called again; it must not depend on a clock/,
    ],
  },
  NeedsItself: {
    reason: 'a child that contains or needs itself does not hang the check',
    children: () => {
      const self = { ...one(), needs: [] as Child[] };
      self.needs.push(self);
      return [self];
    },
    want: [/Deployment a waits for itself/],
  },
  SecretInPlainText: {
    reason: 'the message about a refused Secret shows no value',
    children: () => [
      one({ type: secret, body: { data: { a: 'p@ss word', b: 'YQ==' }, stringData: { c: 'd' } } }),
    ],
    want: [
      /Secret a: `body` has `stringData`, which cannot be compared; use `data`, in base64$/,
      /Secret a: data a is not base64; use Buffer/,
    ],
  },
  NotAList: {
    reason: 'children that are not a list are refused',
    children: (async () => []) as never,
    want: [
      'Cache: sample cache-sample: children returned a promise; it must return a list of children, and not be async',
    ],
  },
  Conditional: {
    reason: 'each wrong child is named by its index',
    children: () => [one(), false as never, [one()] as never, undefined as never],
    want: [/sample cache-sample: children\[1\] is false; it must be a child, or omitted: .*\n.*/s],
  },
  Former: {
    reason: 'a child of a former type is refused, because the functions may not write it',
    children: () => [one({ type: service, body: {} })],
    over: { formerly: [service] },
    want: [
      'Cache: sample cache-sample: children[0], Service a: its type is listed in `formerly`; move it to `owns`',
    ],
  },
  Throws: {
    reason: 'an exception is reported with the line of the kind, not of the code that it called',
    children: ({ spec }) => [
      one({ name: workloadName((spec as never as { no: string[] }).no[0]!) }),
    ],
    want: [
      /^Cache: sample cache-sample: TypeError: Cannot read .* at .*check-kind\.test\.ts:\d+:\d+$/,
    ],
  },
  ThrowsBelow: {
    reason: "an exception in other code is reported with the line in the kind's file",
    children: () => [one({ name: workloadName(Symbol('no text') as never) })],
    want: [/TypeError: Cannot convert a Symbol .* at .*check-kind\.test\.ts:\d+:\d+$/],
  },
  ThrowsText: {
    reason: 'a thrown text is reported without a line',
    children: () => {
      // biome-ignore lint/style/useThrowOnlyError: a kind may throw anything
      throw 'nothing';
    },
    want: ['Cache: sample cache-sample: nothing'],
  },
  ThrowsForSomeNames: {
    reason:
      'an exception for some names is found, because other names than those of samples are tried',
    children: ({ name }) => {
      if (name.length > 100) throw new Error('too long');
      return [];
    },
    want: [/^Cache: resource with a name of 253 characters: Error: too long at /],
  },
  ModifiesInput: {
    reason: 'a kind that changes its input is refused',
    children: ({ spec }) => [one({ body: { spec: { args: spec.items.sort() } } })],
    want: [
      /^Cache: sample cache-sample: children\(\) modifies its input \(TypeError: .*\); change a copy instead$/,
    ],
  },
  ModifiesDefault: {
    reason: 'a kind that changes a default is refused',
    children: ({ spec }) => {
      spec.limits.size++;
      return [];
    },
    want: [/children\(\) modifies its input/],
  },
  Random: {
    reason: 'a random value is refused, because each run would write it',
    children: () => [one({ name: 'b' }), one({ body: { spec: { calls: calls++ } } })],
    want: [
      'Cache: sample cache-sample: `children` returns a different Deployment a when called again; it must not depend on a clock, random values or earlier calls',
    ],
  },
  RandomCount: {
    reason: 'a random number of children is refused',
    children: () => (calls++ % 2 === 0 ? [] : [one()]),
    want: [/`children` returns a different Deployment a/],
  },
  Date: {
    reason: 'a Date in a child is refused, because JSON would make it a string',
    children: () => [one({ body: { spec: { at: new Date(0) as never } } })],
    want: [/^Cache: sample cache-sample: Deployment a: body\.spec\.at is .* not a JSON value$/],
  },
  NotANumber: {
    reason: 'NaN in a child is refused, because JSON would make it null',
    children: () => [one({ body: { spec: { list: [1, Number.NaN] } } })],
    want: [/body\.spec\.list\[1\] is NaN, which is not a JSON value$/],
  },
  Circle: {
    reason: 'a child that contains or needs itself does not hang the check',
    children: () => [one({ body: circle })],
    want: [/Deployment a: body is nested deeper than 64 levels$/],
  },
  NotOwned: {
    reason: 'a child of a type that is not in owns is refused',
    children: () => [one({ type: service })],
    want: ['Cache: sample cache-sample: Service a: its type is not in `owns`; add it'],
  },
  WrittenByHand: {
    reason: 'a type written by hand is refused, because it lacks the facts of the type',
    children: () => [one({ type: secretByHand, body: {} })],
    want: [
      'Cache: sample cache-sample: Secret a: type: secrets lacks facts; import secret from serverless-reconciler',
    ],
  },
  Twice: {
    reason: 'a child that is returned twice is refused',
    children: () => [one(), one({ type: secret, body: {} }), one()],
    want: [
      'Cache: sample cache-sample: the kind returns Deployment a twice; give one of them another name',
    ],
  },
  BodyWithMore: {
    reason: 'fields that the engine sets are refused in a body',
    children: () => [
      one({ body: { apiVersion: 'v1', kind: 'X', metadata: {}, status: {}, spec: {} } }),
    ],
    want: [
      /body has apiVersion: the type of the child determines this field; remove it$/,
      /body has kind: the type of the child determines this field; remove it$/,
      /body has metadata: set name, labels and annotations on the child$/,
      /body has status: a controller sets this field; remove it$/,
    ],
  },
  AsPrinted: {
    reason: 'fields as kubectl prints them are refused in a body',
    over: { owns: [statefulSet] },
    children: () => [
      one({
        type: statefulSet,
        body: {
          spec: {
            template: { metadata: { creationTimestamp: null } },
            volumeClaimTemplates: [{ metadata: { name: 'data' }, status: {} }],
          },
        },
      }),
    ],
    want: [
      /StatefulSet a: spec.template.metadata.creationTimestamp is null; remove the field$/,
      /StatefulSet a: spec.volumeClaimTemplates\[0\].status is set by the controller of the claim; remove it$/,
    ],
  },
  NoGroup: {
    reason:
      'a subject without a group is refused, because the server adds it and the binding would always differ',
    over: { owns: [roleBinding] },
    children: () => [
      one({
        type: roleBinding,
        body: {
          roleRef: { kind: 'ClusterRole', name: 'view' },
          subjects: [
            { kind: 'ServiceAccount', name: 'a', namespace: 'b' },
            { kind: 'Group', name: 'c' },
          ],
        },
      }),
    ],
    want: [
      /RoleBinding a: roleRef has no apiGroup; set rbac.authorization.k8s.io$/,
      /RoleBinding a: subjects\[1\] has no apiGroup; set rbac.authorization.k8s.io$/,
    ],
  },
  AutoscaledAndFixed: {
    reason: 'replicas beside an autoscaler are refused, because each scaling would be undone',
    over: { owns: [deployment, horizontalPodAutoscaler] },
    children: () => [
      one({ body: { spec: { replicas: 1 } } }),
      one({
        type: horizontalPodAutoscaler,
        name: 'scaler',
        body: {
          spec: {
            maxReplicas: 3,
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
          },
        },
      }),
    ],
    want: [
      /HorizontalPodAutoscaler scaler: it scales Deployment a, whose body sets spec.replicas to 1, .*; in that child, list spec.replicas in `initial`, or remove it from `body` and list it in `handsOver`$/,
    ],
  },
  AutoscaledOfOtherTypes: {
    reason: 'a custom resource may be scaled, by other autoscalers, and by a field of another name',
    over: { owns: [rollout, cluster, scaledObject, deployment] },
    children: () => [
      one({ type: rollout, body: { spec: { replicas: 2 } } }),
      one({ type: cluster, body: { spec: { servers: 3 } } }),
      one({ body: { spec: { replicas: 1 } } }),
      one({ name: 'free', initial: ['spec'], body: { spec: { replicas: 1 } } }),
      scaling('rollout', { apiVersion: 'example.org/v1', kind: 'Rollout', name: 'a' }),
      scaling('cluster', { apiVersion: 'example.org/v1', kind: 'Cluster', name: 'a' }),
      scaling('default', { name: 'a' }),
      scaling('free', { name: 'free' }),
    ],
    want: [
      /ScaledObject rollout: it scales Rollout a, whose body sets spec.replicas to 2, /,
      /ScaledObject cluster: it scales Cluster a, whose body sets spec.servers to 3, /,
      /ScaledObject default: it scales Deployment a, whose body sets spec.replicas to 1, /,
    ],
  },
  IllegalName: {
    reason: 'an illegal name of a child is refused by the rule of its type',
    children: () => [one({ name: 'A_b' }), one({ type: secret, name: '1.a', body: {} })],
    want: ['Cache: sample cache-sample: Deployment A_b: no Deployment can have this name'],
  },
  RbacName: {
    reason: 'a name of RBAC may contain a colon, but no slash',
    children: () => [
      one({ type: role, name: 'Team:a', body: {} }),
      one({ type: role, name: 'a/b', body: {} }),
    ],
    over: { owns: [role] },
    want: ['Cache: sample cache-sample: Role a/b: no Role can have this name'],
  },
  LongName: {
    reason: 'a name that is too long for longer resource names is refused',
    children: ({ name }) => [one({ name: `${name}-cache` })],
    want: [
      /^Cache: resource with a name of 253 characters: Deployment .*: no Deployment can have this name; build the child's names with .* namespaceName or, .* and label values with labelValue. Or limit the length of the resource's name with the rule nameAtMost$/,
    ],
  },
  LongNameTwice: {
    reason: 'both samples have the same problem, which is reported once',
    children: ({ name }) => [one({ name: `${name}-cache` })],
    over: {
      samples: [
        { name: 'a', spec: {} },
        { name: 'b', spec: { items: [] } },
      ],
    },
    want: [/^Cache: resource with a name of 253 characters: /],
  },
  LongNameRefused: {
    reason: 'a name that only a refused resource would make too long is accepted',
    children: ({ name }) => [one({ name: `${name}-cache` })],
    over: { rules: [nameAtMost(40)] },
    want: [],
  },
  LongLabel: {
    reason: 'a label that is too long for longer resource names is refused',
    children: ({ name }) => [one({ labels: { cache: name } })],
    want: [/label cache cannot be a-long.*; use labelValue; /],
  },
  Labels: {
    reason: 'keys of labels are checked, and those of the engine reserved',
    children: () => [
      one({
        labels: { 'a b': '', 'app.kubernetes.io/managed-by': 'me' },
        annotations: { '/': '' },
      }),
    ],
    want: [
      /a b cannot be the key of a label or an annotation$/,
      /\/ cannot be the key of a label or an annotation$/,
      /label app\.kubernetes\.io\/managed-by is set by the engine; remove it$/,
    ],
  },
  Needs: {
    reason: 'a need that is no child is refused, because the child would wait forever',
    children: () => [one({ needs: [{ type: secret, name: 'b' }] })],
    want: [/Deployment a: needs names Secret b, which is not a child of the resource$/],
  },
  NeedsComplete: {
    reason: 'only a step is waited for until it is complete',
    children: () => [
      one({ needs: ['b', 'c'].map((name) => ({ type: job, name, until: 'complete' })) }),
      one({ type: job, name: 'b', body: jobBody, step: 'once' }),
      one({ type: job, name: 'c', body: jobBody }),
    ],
    over: { owns: [deployment, job] },
    want: [
      /Deployment a: needs Job c until it is complete, but Job c is not a step: set its `step`, or omit `until`$/,
    ],
  },
  ActsOn: {
    reason: 'a target that is no child is refused, because the child would wait forever',
    children: () => [one({ actsOn: { type: horizontalPodAutoscaler, name: 'a' } })],
    want: [/actsOn names HorizontalPodAutoscaler a, which is not a child of the resource$/],
  },
  Issuer: {
    reason: 'a certificate is signed by an authority of the same resource',
    children: () => [
      one({ type: secret, name: 'b', body: {}, generated: signedBy('ca') }),
      one({ type: secret, name: 'c', body: {}, generated: signedBy('d') }),
      one({ type: secret, name: 'd', body: {}, generated: { keys: ['a'], usedBy: [] } }),
    ],
    want: [
      /Secret b: generated\.certificate\.issuer names Secret ca, which is not a child of the resource$/,
      /Secret c: generated\.certificate\.issuer names Secret d, which is not a certificate authority; name a Secret whose generated certificate has no issuer$/,
    ],
  },
  CircularNeeds: {
    reason: 'a cycle of needs is refused, and the error names only its children',
    children: () => [
      one({ needs: [{ type: secret, name: 'b' }] }),
      one({ type: secret, name: 'b', body: {}, actsOn: { type: deployment, name: 'a' } }),
      one({ name: 'c', needs: [{ type: deployment, name: 'a' }] }),
    ],
    want: [/Deployment a waits for itself; remove one/, /Secret b waits for itself; remove one/],
  },
  Generated: {
    reason: 'the objects that use generated data are read',
    children: () => [
      one({
        type: secret,
        body: {},
        generated: { keys: ['k'], usedBy: [{ type: persistentVolumeClaim, name: 'x' }] },
      }),
    ],
    want: [/generated\.usedBy PersistentVolumeClaim x: its type is not in `reads`; add it$/],
  },
};

const reading = (reads: ReadDefinitions<unknown>, over: object = {}) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Cache',
    plural: 'caches',
    spec: Type.Object({}),
    samples: [{ name: 'cache-sample', spec: {} }],
    owns: [deployment],
    reads,
    children: () => [],
    ...over,
  });

describe('the check of what a kind reads', () => {
  let calls = 0;
  it.each([
    {
      reason: 'its own code throws',
      reads: { it: { type: configMap, name: () => JSON.parse('') } },
      want: [/^Cache: sample cache-sample: SyntaxError: .* at .*check-kind\.test\.ts:\d+:\d+$/],
    },
    {
      reason: 'it returns a name that no object can have',
      reads: { it: { type: configMap, names: () => ['a', 'A b'] } },
      want: [
        /sample: the kind itself refuses it: "A b" is not a valid ConfigMap name \(reads\.it\)$/,
      ],
    },
    {
      reason: 'it returns more names than a run reads',
      reads: { it: { type: secret, names: () => Array.from({ length: 65 }, (_, n) => `s-${n}`) } },
      want: [/the kind itself refuses it: 65 references to objects exceed the limit of 64$/],
    },
    {
      reason: 'it returns other names each time',
      reads: { it: { type: secret, name: () => `s-${calls++}` } },
      want: [
        /sample: `reads` selects different objects when called again; it must not use a clock/,
      ],
    },
  ])('$reason', ({ reads, want }) => {
    const problems = checkKind(reading(reads));
    expect(problems).toEqual(want.map((text) => expect.stringMatching(text)));
  });

  it('includes children for ConfigMaps and Secrets that exist', () => {
    const settings = { type: configMap, name: () => 'a' } as const;
    const children = ({ reads }: { reads: { settings?: { data: object } } }) =>
      reads.settings === undefined ? [] : [one({ type: secret })];
    expect(checkKind(reading({ settings }, { children }))).toEqual([
      'Cache: sample cache-sample, with empty ConfigMaps and Secrets for its references: Secret a: its type is not in `owns`; add it',
    ]);
  });

  it('refuses a name and a list of names', () => {
    const both = { type: configMap, name: () => 'a', names: () => [] };
    expect(() => reading({ it: both })).toThrow(
      'Cache: reads.it: it has more than one of `name`, `names` and `selector`; keep one',
    );
  });
});

describe('the check of a kind', () => {
  it.each(casesOf(cases))('%s', (_, { children, over, want }) => {
    const problems = checkKind(cache(children, over));
    expect(problems).toEqual(
      want.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text))),
    );
  });

  it.each(kinds.map((kind) => [kind.kind, kind] as const))('finds nothing in %s', (_, kind) => {
    expect(checkKind(kind)).toEqual([]);
  });
});

const sound = {
  group: 'example.org',
  version: 'v1',
  kind: 'Cache',
  plural: 'caches',
  spec: Type.Object({
    size: Type.Optional(Type.Integer()),
    list: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
    map: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
  }),
  status: {
    phase: Type.Optional(Type.String()),
    ready: Type.Optional(Type.Object({ count: Type.Integer() })),
  },
  samples: [{ name: 'cache-sample', spec: {} }],
  owns: [deployment],
  children: () => [],
};

interface Definition {
  readonly reason: string;
  readonly over: Partial<Parameters<typeof defineKind>[0]>;
  /** Is the error; without it the definition is accepted. */
  readonly want?: string | RegExp;
}

/** As of a file that imports this one, while it is loaded. */
const notLoaded = undefined as never;

const definitions: Record<string, Definition> = {
  Sound: { reason: 'nothing is wrong', over: { shortNames: ['ca'], categories: ['all', 'ca'] } },
  Versions: {
    reason: 'older and newer versions may be listed',
    over: {
      versions: [
        { name: 'v1beta1', served: false },
        { name: 'v2', served: true },
      ],
    },
  },
  Several: {
    reason: 'all problems are reported at once',
    over: { rolloutBudget: 0, conditions: ['Ready'] },
    want: /^Cache: conditions.*\nCache: rolloutBudget .*$/,
  },
  OwnsUndefined: {
    reason: 'an undefined child type, as from a cyclic import, is refused',
    over: { owns: [notLoaded] },
    want: 'Cache: `owns`, `formerly` or `reads` has an undefined type; do two files import each other?',
  },
  ReadsUndefined: {
    reason: 'so is an undefined type of an object to read',
    over: { reads: { it: { type: notLoaded } } },
    want: 'Cache: `owns`, `formerly` or `reads` has an undefined type',
  },
  RolloutBudget: {
    reason: 'with a budget of 0, no resource would ever be changed',
    over: { rolloutBudget: 0 },
    want: "Cache: rolloutBudget is 0; it must be a number such as 2, or a percentage such as '5%'",
  },
  RolloutShare: {
    reason: 'a percentage above 100 is more than all',
    over: { rolloutBudget: '101%' },
    want: /rolloutBudget is 101%/,
  },
  OwnsTwice: {
    reason: 'a type that is listed twice in owns is refused',
    over: { owns: [deployment, { ...deployment }] },
    want: 'Cache: deployments.apps: list it once, in `owns` or `formerly`',
  },
  OwnsByHand: {
    reason: 'an Ingress type written by hand in owns is refused, because its order would be lost',
    over: { owns: [deployment, ingressByHand] },
    want: 'Cache: owns: ingresses.networking.k8s.io lacks facts, exposure; import ingress from serverless-reconciler',
  },
  FormerlyByHand: {
    reason:
      'an Ingress type written by hand in formerly is refused, because its order would be lost',
    over: { formerly: [ingressByHand] },
    want: 'Cache: formerly: ingresses.networking.k8s.io lacks facts, exposure; import ingress from serverless-reconciler',
  },
  OwnsCopy: {
    reason: 'a type from another copy of the package, with other fields, is as good',
    over: { owns: [{ ...deployment, readiness: () => ({ state: 'Current' }) }] },
  },
  OwnsCustom: {
    reason: 'a custom resource has nothing to lose',
    over: { owns: [{ group: 'example.net', version: 'v1', kind: 'Secret', plural: 'secrets' }] },
  },
  OwnsOther: {
    reason: 'a type of Kubernetes that this package does not have',
    over: { owns: [{ group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets' }] },
  },
  Formerly: { reason: 'other types may be listed', over: { formerly: [secret, service] } },
  FormerlyOwned: {
    reason: 'a type is either written or not',
    over: { formerly: [{ ...deployment }] },
    want: 'Cache: deployments.apps: list it once, in `owns` or `formerly`',
  },
  FormerlyTwice: {
    reason: 'a duplicate is a mistake',
    over: { formerly: [secret, { ...secret }] },
    want: 'Cache: secrets: list it once, in `owns` or `formerly`',
  },
  StatusOfEngine: {
    reason: 'a status field of the engine is refused',
    over: { status: { conditions: Type.Optional(Type.String()) } },
    want: 'Cache: status.conditions: set by the engine for every kind; choose another name',
  },
  StatusSchema: {
    reason: 'it is translated like the spec',
    over: { status: { at: Type.Optional(Type.BigInt()) } },
    want: /^Cache: status\.at: type "bigint" is not supported/,
  },
  Conditions: {
    reason: 'a name may be plain or qualified',
    over: { conditions: ['Seeded', 'a.org/Up_1'] },
  },
  ConditionOfEngine: {
    reason: 'a condition type of the engine is refused',
    over: { conditions: ['Stalled'] },
    want: 'Cache: conditions.Stalled: set by the engine for every kind; choose another name',
  },
  ConditionSuspended: {
    reason: 'the condition type Suspended is refused',
    over: { conditions: ['Suspended'] },
    want: /conditions.Suspended: set by the engine/,
  },
};

describe('a definition', () => {
  it.each(casesOf(definitions))('%s', (_, { over, want }) => {
    const define = () => defineKind({ ...sound, ...over } as Parameters<typeof defineKind>[0]);
    if (want === undefined) expect(define).not.toThrow();
    else expect(define).toThrow(want);
  });

  const nested = Type.Object({ a: Type.Object({ b: Type.String({ mimimum: 1 }) }) });

  it.each([
    ['a wrong number', { rolloutBudget: 0 }],
    ['a nested schema', { spec: Type.Object({ a: nested }) }],
  ])('is refused for %s at the place where it is written', (_, over) => {
    const caught = (): Error => {
      try {
        defineKind({ ...sound, ...over } as typeof sound);
      } catch (error) {
        return error as Error;
      }
      throw new Error('accepted');
    };
    expect(caught().stack).toContain('check-kind.test.ts');
  });
});
