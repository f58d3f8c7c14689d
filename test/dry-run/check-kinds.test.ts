import { describe, expect, it } from 'vitest';
import {
  type ChildType,
  child,
  configMap,
  containerName,
  cronJob,
  defineChildType,
  defineKind,
  deployment,
  labelValue,
  nameAtMost,
  namespace,
  resourceQuota,
  secret,
  secretValue,
  service,
  Type,
  withRules,
} from '../../index.ts';
import * as dryRun from '../../infra/check/check-kinds.ts';
import type { Child } from '../../shared/kinds/child.ts';
import { casesOf } from '../support/cases.ts';
import { kinds } from '../support/config.ts';

type Over = Partial<Parameters<typeof defineKind>[0]>;

const cache = (children: (name: string) => readonly Child[], over: Over = {}) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Cache',
    plural: 'caches',
    spec: Type.Object({ size: Type.Optional(Type.Integer()) }),
    samples: [{ name: 'shop', spec: {} }],
    owns: [configMap, cronJob, deployment, secret, service],
    ...over,
    children: ({ name }) => children(name),
  });

/** Makes a child whose body the compiler has not checked. */
const untyped = (type: ChildType, body: object, over: object = {}): Child =>
  child(type as ChildType, { name: 'a', body, ...over } as Parameters<typeof child>[1]);

const container = { name: 'c', image: 'web:1' };

const workload = (
  own: object,
  { spec = {}, labels = { app: 'a' } }: { spec?: object; labels?: object } = {},
): Child =>
  untyped(deployment, {
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ ...container, ...own }] } },
      ...spec,
    },
  });

const at = 'Cache: sample shop: Deployment a';
const inContainer = 'spec.template.spec.containers[name="c"]';
const remedy =
  "build the child's names with workloadName (Deployment, Job), statefulSetName, dnsLabel (Service), namespaceName or, for other types, objectName; build container names with containerName, and label values with labelValue";

const origin = / \(\S+\/test\/dry-run\/check-kinds\.test\.ts:\d+:\d+\)$/;

/** Returns the problems, and checks that each ends with the location of the kind in this file. */
async function checkKinds(all: Parameters<typeof dryRun.checkKinds>[0]) {
  const { problems } = await dryRun.checkKinds(all);
  expect(problems.filter((problem) => !origin.test(problem))).toEqual([]);
  return problems.map((problem) => problem.replace(origin, ''));
}

interface Case {
  readonly reason: string;
  readonly children: (name: string) => readonly Child[];
  readonly over?: Over;
  readonly want: readonly (string | RegExp)[];
}

const cases: Record<string, Case> = {
  Sound: {
    reason: 'names and labels fit any resource',
    children: (name) => [
      workload({ name: containerName(name) }, { labels: { app: labelValue(name) } }),
    ],
    want: [],
  },
  UnknownField: {
    reason: 'all unknown fields are reported at once, at any depth',
    children: () => [workload({ comand: ['run'] }, { spec: { replica: 1 } })],
    want: [
      /^Cache: sample shop: Deployment a: spec\.replica is not a field of a Deployment; did you mean replicas\?$/,
      `${at}: ${inContainer}.comand is not a field of a Deployment; did you mean command?`,
    ],
  },
  NothingLikeIt: {
    reason: 'only a similar field is suggested',
    children: () => [workload({ zone: 'eu' })],
    want: [`${at}: ${inContainer}.zone is not a field of a Deployment`],
  },
  NoText: {
    reason: 'a number is not a string',
    children: () => [workload({ env: [{ name: 'PORT', value: 80 }] })],
    want: [
      `${at}: ${inContainer}.env[name="PORT"].value must be a string, for example String(value)`,
    ],
  },
  NoNumber: {
    reason: 'a string is not a number',
    children: () => [workload({}, { spec: { replicas: '2' } })],
    want: [/: spec\.replicas must be a number$/],
  },
  KeyMissing: {
    reason: 'the API server adds the key, so every run would find an item that is not its own',
    children: () => [workload({ ports: [{ containerPort: 80 }] })],
    want: [
      `${at}: ${inContainer}.ports: an item has no protocol, by which the API server identifies items; add it`,
    ],
  },
  KeyTwice: {
    reason: 'the API server refuses to apply a duplicate key',
    children: () => [
      workload({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
    ],
    want: [`${at}: ${inContainer}.env has two items with [name="A"]; remove one`],
  },
  Dropped: {
    reason: 'a dropped field has no effect',
    children: () => [
      untyped(service, {
        spec: {
          selector: { app: 'a' },
          ports: [{ port: 80, protocol: 'TCP' }],
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
        },
      }),
    ],
    want: [
      'Cache: sample shop: Service a: spec.sessionAffinityConfig: the API server drops this field; remove it',
    ],
  },
  Emptied: {
    reason: 'a dropped list without items has no effect either way',
    children: () => [workload({ resources: { claims: [] } })],
    want: [],
  },
  Rewritten: {
    reason: 'the API server may change a value',
    children: () => [
      untyped(service, {
        spec: { selector: { app: 'a' }, ports: [{ port: 80, protocol: 'TCP', targetPort: 0 }] },
      }),
    ],
    want: [],
  },
  Added: {
    reason: 'the API server may complete a value that is applied as one field',
    children: () => [
      workload({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
    ],
    want: [],
  },
  Required: {
    reason: 'the message of the validation is reported',
    children: () => [workload({ image: undefined })],
    want: [`${at}: spec.template.spec.containers[0].image: Required value`],
  },
  Selector: {
    reason: 'fields may contradict each other',
    children: () => [workload({}, { spec: { selector: { matchLabels: { app: 'b' } } } })],
    want: [/^Cache: sample shop: Deployment a: spec\.template\.metadata\.labels: Invalid value: /],
  },
  Quantity: {
    reason: 'the schema names the field, which the API server does not',
    children: () => [workload({ resources: { limits: { memory: '1 GB' } } })],
    want: [
      `${at}: spec.template.spec.containers[0].resources.limits.memory must be a quantity, for example 500m or 1Gi`,
    ],
  },
  Secret: {
    reason: 'the message about a Secret omits that of the API server, which may repeat values',
    children: () => [
      untyped(secret, {
        type: 'kubernetes.io/dockerconfigjson',
        data: { '.dockerconfigjson': 'QQ==' },
      }),
    ],
    want: ['Cache: sample shop: Secret a: data[.dockerconfigjson]: refused'],
  },
  Generated: {
    reason: 'data that the type requires may be generated',
    children: () => [
      child(secret, {
        name: 'a',
        generated: { keys: ['password', 'username'], usedBy: [] },
        body: { type: 'kubernetes.io/basic-auth' },
      }),
    ],
    want: [],
  },
  Copied: {
    reason: 'data that the type requires, as JSON, may be copied',
    children: () => [
      child(secret, {
        name: 'a',
        templates: { '.dockerconfigjson': secretValue({ name: 'b' }, '.dockerconfigjson') },
        body: { type: 'kubernetes.io/dockerconfigjson' },
      }),
    ],
    over: { reads: { source: { type: secret, name: () => 'b' } } },
    want: [],
  },
  Blocked: {
    reason: 'a blocked child is not written',
    children: () => [
      untyped(deployment, {}, { blocked: { reason: 'SettingsMissing', message: 'create them' } }),
    ],
    want: [],
  },
  HandsOver: {
    reason: 'a misspelt path would reset a value',
    children: () => [
      {
        ...workload({}),
        handsOver: [
          'spec.replicas',
          'metadata.annotations.x',
          'spec.replica',
          'spec.template.spec.containers.image',
          'metadata.annotations.a.b/c',
          `${inContainer}.imag`,
          'spec.template.spec.containers[nam="c"].image',
          'spec.template.spec.containers[name="c"].args[0]',
          `${inContainer}.ports[protocol="TCP",containerPort=80].hostPort`,
        ],
        initial: [
          `${inContainer}.image`,
          `${inContainer}.resources`,
          'spec.template.spec.containers[name="d"].image',
        ],
      },
    ],
    want: [
      `${at}: handsOver: spec.replica is not a field of a Deployment; did you mean replicas?`,
      `${at}: handsOver: spec.template.spec.containers.image leads into a list; give the path of the list itself, or name an item: [name=…]`,
      `${at}: handsOver: ${inContainer}.imag is not a field of a Deployment; did you mean image?`,
      `${at}: handsOver: spec.template.spec.containers[nam="c"].image leads into a list; give the path of the list itself, or name an item: [name=…]`,
      `${at}: handsOver: ${inContainer}.args[0] leads into a list; give the path of the list itself`,
      `${at}: handsOver: ${inContainer}.ports[protocol="TCP",containerPort=80].hostPort leads into a list; give the path of the list itself, or name an item: [containerPort=…,protocol=…]`,
      `${at}: \`initial\`: spec.template.spec.containers[name="d"] is not in the body`,
    ],
  },
  ContainerName: {
    reason: 'a container name cannot have the dots and the length of a Deployment name',
    children: (name) => [workload({ name })],
    want: [
      `Cache: resource called 1.with.dots: Deployment a: spec.template.spec.containers[0].name: Invalid value: "1.with.dots": must not contain dots; ${remedy}. Or refuse dots with a rule on metadata.name`,
      `Cache: resource with a name of 253 characters: Deployment a: spec.template.spec.containers[0].name: Invalid value: "a-long…longer": must be no more than 63 characters; ${remedy}. Or limit the length of the resource's name with the rule nameAtMost`,
    ],
  },
  LongestName: {
    reason: 'the longest name that the CRD allows is tried',
    children: (name) => [workload({}, { labels: { app: `${name}-cache` } })],
    over: { rules: [nameAtMost(60)] },
    want: [
      /^Cache: resource with a name of 60 characters: .*must be no more than 63/,
      /^Cache: resource with a name of 60 characters: /,
      /^Cache: resource with a name of 60 characters: /,
    ],
  },
  ShortNames: {
    reason: 'the rule leaves room for the suffix',
    children: (name) => [workload({}, { labels: { app: `${name}-cache` } })],
    over: { rules: [nameAtMost(57)] },
    want: [],
  },
  RuleInCelAlone: {
    reason: 'the API server evaluates the rule on long names',
    children: (name) => [workload({}, { labels: { app: `${name}-cache` } })],
    over: { rules: [{ rule: 'size(self.metadata.name) < 50', message: 'too long' }] },
    want: [],
  },
  Sample: {
    reason: 'a sample that only the API server refuses is reported',
    children: () => [],
    over: { rules: [{ rule: "self.metadata.name != 'shop'", message: 'choose another name' }] },
    want: ['Cache: sample shop: the API server refuses it: Invalid value: choose another name'],
  },
  Rule: {
    reason: 'the error states where and why a rule does not compile',
    children: () => [],
    over: { rules: [{ rule: 'self.spec.sise > 1', message: 'm' }] },
    want: [
      `Cache: rule "self.spec.sise > 1" on the resource does not compile: 1:10: undefined field 'sise'`,
    ],
  },
  RuleBelow: {
    reason: 'the error states the path in the schema of the kind',
    children: () => [],
    over: {
      spec: Type.Object({
        hosts: Type.Array(
          Type.Object(
            { name: Type.String() },
            withRules({ rule: 'self.nam == "a"', message: 'm' }),
          ),
          { maxItems: 3 },
        ),
      }),
      samples: [{ name: 'shop', spec: { hosts: [] } }],
    },
    want: [
      `Cache: rule "self.nam == "a"" on spec.hosts.items does not compile: 1:5: undefined field 'nam'`,
    ],
  },
};

const certificate = defineChildType({
  group: 'cert-manager.io',
  version: 'v1',
  kind: 'Certificate',
  plural: 'certificates',
});

describe('the check of a kind by dry runs', () => {
  it.each(casesOf(cases))('%s', async (_, { children, over, want }) => {
    const problems = await checkKinds([cache(children, over)]);
    expect(problems).toHaveLength(want.length);
    for (const text of want)
      expect(problems).toContainEqual(
        typeof text === 'string' ? text : expect.stringMatching(text),
      );
  });

  it('tries referenced objects that exist but are empty', async () => {
    const bot = defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Bot',
      plural: 'bots',
      spec: Type.Object({ settings: Type.String() }),
      samples: [{ name: 'shop', spec: { settings: 'common' } }],
      owns: [deployment],
      reads: { settings: { type: configMap, name: ({ spec }) => spec.settings } },
      children: ({ reads: { settings } }) =>
        settings === undefined ? [] : [workload({ image: settings.data?.image })],
    });
    expect(await checkKinds([bot])).toEqual([
      'Bot: sample shop, with empty ConfigMaps and Secrets for its references: Deployment a: spec.template.spec.containers[0].image: Required value',
    ]);
  });

  it('checks a child of one of our kinds by its CRD, but not a child of another custom type', async () => {
    const store = cache(() => [], { kind: 'Store', plural: 'stores' });
    const owner = cache(
      () => [untyped(store, { spec: { sise: 1 } }), untyped(certificate, { spec: { sise: 1 } })],
      { owns: [store, certificate] },
    );
    expect(await checkKinds([owner])).toEqual([
      'Cache: sample shop: Store a: spec.sise is not a field of a Store; did you mean size?',
    ]);
  });

  it('reports a refused CRD of a kind, and does not check children of that kind', async () => {
    const rules = [{ rule: 'self.x', message: 'm' }];
    const store = cache(() => [], { kind: 'Store', plural: 'stores', rules });
    const owner = cache(() => [untyped(store, { spec: {} })], { owns: [store] });
    expect(await checkKinds([owner, store])).toEqual([
      `Store: rule "self.x" on the resource does not compile: 1:5: undefined field 'x'`,
    ]);
  });

  it.each<[string, Over]>([
    ['a group without a dot', { group: 'example' }],
    ['a reserved group', { group: 'caches.k8s.io' }],
    ['a version with a dot', { version: 'v1.0' }],
    ['another version with a dot', { versions: [{ name: 'v1.1', served: true }] }],
    ['its version as another', { versions: [{ name: 'v1', served: true }] }],
    ['a kind of two words', { kind: 'My Cache' }],
    ['a plural in upper case', { plural: 'Caches' }],
    ['an illegal short name', { shortNames: ['1'] }],
    ['an illegal category', { categories: ['My Caches'] }],
    ['an illegal name of a sample', { samples: [{ name: 'A', spec: {} }] }],
    [
      'a column without a name',
      { columns: [{ name: '', type: 'integer', jsonPath: '.spec.size' }] },
    ],
    ['a rule with a message of two lines', { rules: [{ rule: 'true', message: 'a\nb' }] }],
    ['a rule for no field', { rules: [{ rule: 'true', message: 'm', fieldPath: '.size' }] }],
  ])('reports %s, which the API server refuses', async (_, over) => {
    expect(await checkKinds([cache(() => [], over)])).not.toEqual([]);
  });

  it('refuses a column and a path of the scale subresource that lead to no field', async () => {
    const columns = [
      { name: 'Size', type: 'integer', jsonPath: '.spec.sise' },
      { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      { name: 'Why', type: 'string', jsonPath: '.status.conditions[0].reason' },
    ] as const;
    const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' };
    expect(await checkKinds([cache(() => [], { columns, scale })])).toEqual([
      'Cache: column Size: spec.sise is not a field of a Cache; did you mean size?',
      'Cache: scale.statusReplicasPath: status.replicas is not a field of a Cache',
    ]);
  });

  it('refuses a name that another kind has', async () => {
    const store = cache(() => [], { plural: 'stores' });
    const problems = await checkKinds([cache(() => []), store]);
    expect(problems).toEqual([
      expect.stringMatching(
        /^Cache: the API server refuses the names of the kind: .*already in use; choose other names$/,
      ),
    ]);
  });

  it('does not check a child type by another version of its kind', async () => {
    const store = cache(() => [], { kind: 'Store', plural: 'stores' });
    const names = { group: 'example.org', version: 'v2', kind: 'Store', plural: 'stores' };
    const later = defineChildType(names);
    const owner = cache(() => [untyped(later, { spec: { sise: 1 } })], { owns: [later] });
    expect(await checkKinds([owner, store])).toEqual([]);
  });

  it('checks children of a cluster-scoped kind in namespaces that do not exist yet', async () => {
    const team = cache(
      () => [
        child(namespace, { name: 'team-a', body: {} }),
        untyped(resourceQuota, { spec: { hard: { pods: 'many' } } }, { namespace: 'team-a' }),
      ],
      { scope: 'Cluster', owns: [namespace, resourceQuota] },
    );
    expect(await checkKinds([team])).toEqual([
      'Cache: sample shop: ResourceQuota team-a/a: spec.hard.pods must be a quantity, for example 500m or 1Gi',
    ]);
  });

  it('warns of a selector that matches no child, with its location, unless there are errors', async () => {
    const ports = [{ port: 80, protocol: 'TCP' }];
    const exposed = (own: object): Child[] => [
      workload(own),
      untyped(service, { spec: { selector: { app: 'b' }, ports } }),
    ];
    const warnings = async (own: object) =>
      (await dryRun.checkKinds([cache(() => exposed(own))])).warnings;
    expect(await warnings({})).toEqual([
      expect.stringMatching(
        /^Cache: sample shop: Service a: spec.selector {"app":"b"} selects no pods.* \(\S+check-kinds\.test\.ts:\d+:\d+\)$/,
      ),
    ]);
    expect(await warnings({ image: undefined })).toEqual([]);
  });

  it('finds no problem in the kinds of this repository', async () => {
    expect(await dryRun.checkKinds(kinds)).toEqual({ problems: [], warnings: [] });
  });
});
