import {
  type Child,
  type ChildType,
  child,
  configMap,
  defineKind,
  deployment,
  digestOf,
  dnsLabel,
  horizontalPodAutoscaler,
  immutable,
  job,
  type Kind,
  labelValue,
  objectName,
  persistentVolumeClaim,
  podDisruptionBudget,
  rollOnChange,
  type Static,
  secret,
  service,
  statefulSet,
  statefulSetName,
  Type,
  withRules,
  workloadName,
} from '../../index.ts';
import { present } from '../../shared/json.ts';
import { type Law, laws } from '../../testing/law.ts';

const spec = Type.Object(
  {
    image: Type.String({ pattern: '^[a-z0-9][a-z0-9./:_@-]{0,100}$' }),
    replicas: Type.Integer({ minimum: 0, maximum: 10, default: 2 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 8080 }),
    greeting: Type.String({ maxLength: 100, default: 'Hello' }),
    level: Type.Union([Type.Literal('info'), Type.Literal('debug')], { default: 'info' }),
    stateful: Type.Boolean({ default: false }),
    password: Type.Optional(Type.String({ minLength: 4, maxLength: 40 })),
    size: Type.String({ pattern: '^[1-9][0-9]{0,3}Gi$', default: '1Gi' }),
    timeout: Type.Optional(Type.Integer({ minimum: 0, maximum: 600 })),
    topics: Type.Array(
      Type.Object({
        name: Type.String({ pattern: '^[a-z]([a-z-]{0,18}[a-z])?$' }),
        partitions: Type.Integer({ minimum: 1, maximum: 99, default: 1 }),
      }),
      {
        maxItems: 5,
        default: [],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    ),
    labels: Type.Record(Type.String(), Type.String({ pattern: '^[a-z]{0,20}$' }), { default: {} }),
  },
  withRules(immutable('size')),
);

type Spec = Static<typeof spec>;

interface Given {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly spec: Spec;
}

const defined = (
  children: (given: Given) => readonly Child[],
  more: { readonly owns?: readonly ChildType[]; readonly [field: string]: unknown } = {},
): Kind =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Shop',
    plural: 'shops',
    spec,
    samples: [{ name: 'shop', spec: { image: 'shop:1', topics: [{ name: 'orders' }] } }],
    owns: [configMap, secret, deployment, service, persistentVolumeClaim, podDisruptionBudget],
    children,
    ...more,
  } as unknown as Parameters<typeof defineKind>[0]);

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The parts of a healthy Shop, of which each broken one changes one. */
const parts = {
  labels: ({ name }: Given) => ({ app: labelValue(name) }),
  data: ({ spec: { greeting, level, timeout } }: Given): Record<string, string> => ({
    GREETING: greeting,
    LEVEL: level,
    ...(timeout === undefined ? {} : { TIMEOUT: String(timeout) }),
  }),
  configName: ({ name }: Given) => objectName(`${name}-config`),
  topicName: ({ name }: Given, topic: string) => objectName(`${name}-topic.${topic}`),
  annotations: (_: Given, config: Child, credentials: readonly Child[]): Record<string, string> =>
    rollOnChange(config, ...credentials),
  env: ({ spec: { labels, stateful } }: Given): { name: string; value: string }[] => [
    ...Object.keys(labels)
      .toSorted()
      .map((key, at) => ({ name: `LABEL_${at}`, value: `${key}=${labels[key]}` })),
    { name: 'STATEFUL', value: String(stateful) },
  ],
  replicas: ({ spec: { replicas } }: Given): number | undefined => replicas,
  probePort: ({ spec: { port } }: Given): number | string => port,
  targetPort: (_: Given): number | string => 'http',
  selector: (given: Given): Record<string, string> => parts.labels(given),
  podLabels: (given: Given): Record<string, string> => parts.labels(given),
  serviceSelector: (given: Given): Record<string, string> => parts.labels(given),
  workloadFields: (_: Given): object => ({}),
  containerFields: (_: Given): object => ({}),
  claimName: ({ name }: Given) => objectName(`${name}-data`),
  claimSize: ({ spec: { size } }: Given) => size,
  secrets: (given: Given): readonly Child[] =>
    given.spec.password === undefined
      ? []
      : [
          child(secret, {
            name: objectName(`${given.name}-login`),
            body: { data: { password: base64(given.spec.password) } },
          }),
        ],
  secretRefs: (_: Given, credentials: readonly Child[]): readonly string[] =>
    credentials.map(({ name }) => name),
  least: ({ spec: { replicas } }: Given) => Math.max(replicas - 1, 0),
  more: (_: Given): readonly Child[] => [],
};

type Parts = typeof parts;

const shop =
  (changed: Partial<Parts> = {}) =>
  (given: Given): readonly Child[] => {
    const of = { ...parts, ...changed };
    const config = child(configMap, { name: of.configName(given), body: { data: of.data(given) } });
    const credentials = of.secrets(given);
    const topics = given.spec.topics.map((topic) =>
      child(configMap, {
        name: of.topicName(given, topic.name),
        body: { data: { partitions: String(topic.partitions) } },
      }),
    );
    const claim = child(persistentVolumeClaim, {
      name: of.claimName(given),
      body: {
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: of.claimSize(given) } },
        },
      },
    });
    const replicas = of.replicas(given);
    return [
      config,
      ...credentials,
      ...topics,
      claim,
      child(deployment, {
        name: workloadName(given.name),
        needs: [config],
        body: {
          spec: {
            ...present({ replicas }),
            selector: { matchLabels: of.selector(given) },
            template: {
              metadata: {
                labels: of.podLabels(given),
                annotations: of.annotations(given, config, credentials),
              },
              spec: {
                containers: [
                  {
                    name: 'shop',
                    image: given.spec.image,
                    ports: [{ name: 'http', containerPort: given.spec.port, protocol: 'TCP' }],
                    env: of.env(given),
                    envFrom: [
                      { configMapRef: { name: config.name } },
                      ...of.secretRefs(given, credentials).map((name) => ({ secretRef: { name } })),
                    ],
                    readinessProbe: { httpGet: { path: '/', port: of.probePort(given) } },
                    volumeMounts: [{ name: 'data', mountPath: '/data' }],
                    ...of.containerFields(given),
                  },
                ],
                volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim.name } }],
              },
            },
            ...of.workloadFields(given),
          },
        },
      }),
      child(service, {
        name: dnsLabel(given.name),
        body: {
          spec: {
            selector: of.serviceSelector(given),
            ports: [{ port: 80, protocol: 'TCP', targetPort: of.targetPort(given) }],
          },
        },
      }),
      child(podDisruptionBudget, {
        name: objectName(given.name),
        body: {
          spec: { minAvailable: of.least(given), selector: { matchLabels: parts.labels(given) } },
        },
      }),
      ...of.more(given),
    ];
  };

/** A kind without a fault. */
export const healthy = defined(shop());

/** A kind that is broken on purpose. */
export interface Breakage {
  readonly title: string;
  /** Source of the fault: Acto (SOSP'23), Sieve (OSDI'22), the reliability studies, or practice. */
  readonly after: string;
  readonly kind: Kind;
  /** The law that finds it; undefined if none does. */
  readonly law: Law | undefined;
  /** Laws that a slower search may find first, because the kind breaks them, too. */
  readonly others?: readonly Law[];
}

const broken = (changed: Partial<Parts>, more: Parameters<typeof defined>[1] = {}): Kind =>
  defined(shop(changed), more);

const owning = (...types: readonly ChildType[]) => ({ owns: [...healthy.owns, ...types] });

let calls = 0;
const seen = new Map<string, string>();

const extra =
  (name: string, value: string): Parts['more'] =>
  (given) => [
    child(configMap, { name: objectName(`${given.name}-${name}`), body: { data: { value } } }),
  ];

const migration =
  (name: (given: Given) => string): Parts['more'] =>
  (given) => [
    child(job, {
      name: workloadName(name(given)),
      body: {
        spec: {
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [{ name: 'migrate', image: given.spec.image }],
            },
          },
        },
      },
    }),
  ];

const store =
  (claim: (given: Given) => string): Parts['more'] =>
  (given) => [
    child(statefulSet, {
      name: statefulSetName(`${given.name}-store`),
      body: {
        spec: {
          serviceName: dnsLabel(given.name),
          selector: { matchLabels: { store: labelValue(given.name) } },
          template: {
            metadata: { labels: { store: labelValue(given.name) } },
            spec: { containers: [{ name: 'store', image: given.spec.image }] },
          },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: {
                accessModes: ['ReadWriteOnce'],
                resources: { requests: { storage: claim(given) } },
              },
            },
          ],
        },
      },
    }),
  ];

const scaler: Parts['more'] = ({ name }) => [
  child(horizontalPodAutoscaler, {
    name: workloadName(name),
    body: {
      spec: {
        maxReplicas: 10,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: workloadName(name) },
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
          },
        ],
      },
    },
  }),
];

/** Replaces the types of a Shop: its Deployment is ready only with one container, its claim at once. */
const alone = (type: ChildType): ChildType => {
  if (type.kind === 'PersistentVolumeClaim')
    return { ...type, readiness: () => ({ state: 'Current' }) };
  if (type.kind !== 'Deployment') return type;
  return {
    ...type,
    readiness: ({ spec }) =>
      JSON.stringify(spec).match(/"image":/g)?.length === 1
        ? { state: 'Current' }
        : { state: 'InProgress', message: 'it has other containers' },
  };
};

const unlimited = Type.Object({
  ...spec.properties,
  replicas: Type.Integer({ default: 2 }),
});
const unbounded = Type.Object({
  ...spec.properties,
  replicas: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 2 }),
});
const anyName = Type.Object({
  ...spec.properties,
  topics: Type.Array(
    Type.Object({ name: Type.String(), partitions: Type.Integer({ default: 1 }) }),
    {
      maxItems: 5,
      default: [],
    },
  ),
});
const resizable = Type.Object({ ...spec.properties });

const [acto, sieve, studies, practice] = ['Acto', 'Sieve', 'studies', 'practice'];

export const breakages: readonly Breakage[] = [
  {
    title: 'the current time in a ConfigMap',
    after: studies,
    law: laws.sound,
    kind: broken({ more: (given) => extra('built', new Date().toISOString().slice(0, 10))(given) }),
  },
  {
    title: 'a random value in an annotation',
    after: studies,
    law: laws.sound,
    kind: broken({ annotations: () => ({ nonce: String(Math.random()) }) }),
  },
  {
    title: 'a counter in a name',
    after: studies,
    law: laws.sound,
    kind: broken({ more: (given) => extra(`run-${++calls}`, 'x')(given) }),
  },
  {
    title: 'the spec is sorted in place',
    after: practice,
    law: laws.pure,
    kind: broken({
      more({ spec: { topics } }) {
        topics.sort((a, b) => (a.name < b.name ? -1 : 1));
        return [];
      },
    }),
  },
  {
    title: 'the order of a list follows that of the fields',
    after: studies,
    law: laws.unordered,
    kind: broken({
      env: ({ spec: { labels } }) =>
        Object.entries(labels).map(([key, value], at) => ({
          name: `LABEL_${at}`,
          value: `${key}=${value}`,
        })),
    }),
  },
  {
    title: 'the first image is remembered between calls',
    after: sieve,
    law: laws.pure,
    kind: broken({
      more(given) {
        const known = seen.get(given.name) ?? given.spec.image;
        seen.set(given.name, known);
        return extra('image', known)(given);
      },
    }),
  },
  {
    title: 'a field has no effect',
    after: acto,
    law: laws.effective,
    kind: broken({
      data: ({ spec: { greeting, timeout } }) => ({
        GREETING: greeting,
        ...(timeout === undefined ? {} : { TIMEOUT: String(timeout) }),
      }),
    }),
  },
  {
    title: 'zero replicas are treated as the default',
    after: acto,
    law: laws.distinct,
    kind: broken({ replicas: ({ spec: { replicas } }) => replicas || 2 }),
  },
  {
    title: 'a timeout of zero is treated as none',
    after: acto,
    law: laws.distinct,
    kind: broken({
      data: ({ spec: { greeting, level, timeout } }) => ({
        GREETING: greeting,
        LEVEL: level,
        ...(timeout ? { TIMEOUT: String(timeout) } : {}),
      }),
    }),
  },
  {
    title: 'an empty string is treated as the default',
    after: acto,
    law: laws.distinct,
    kind: broken({
      data: ({ spec: { greeting, level, timeout } }) => ({
        GREETING: greeting || 'Hello',
        LEVEL: level,
        TIMEOUT: String(timeout ?? -1),
      }),
    }),
  },
  {
    title: 'false is treated as true',
    after: acto,
    law: laws.effective,
    kind: broken({
      env: ({ spec: { labels, stateful } }) => [
        { name: 'LABELS', value: JSON.stringify(Object.entries(labels).toSorted()) },
        { name: 'STATEFUL', value: String(stateful || true) },
      ],
    }),
  },
  {
    title: 'an absent field is printed',
    after: acto,
    law: laws.printed,
    kind: broken({
      data: ({ spec: { greeting, level, timeout } }) => ({
        GREETING: greeting,
        LEVEL: level,
        TIMEOUT: `${timeout}s`,
      }),
    }),
  },
  {
    title: 'children() throws if an optional field is absent',
    after: acto,
    law: laws.sound,
    kind: broken({
      data: ({ spec: { greeting, level, timeout } }) => ({
        GREETING: greeting,
        LEVEL: level,
        TIMEOUT: (timeout as number).toFixed(1),
      }),
    }),
  },
  {
    title: 'children() throws for an empty list',
    after: acto,
    law: laws.total,
    kind: broken({
      more: (given) => extra('first', (given.spec.topics[0] as { name: string }).name)(given),
    }),
  },
  {
    title: 'a number without bounds is passed to the API server',
    after: acto,
    law: laws.applied,
    kind: broken({}, { spec: unlimited }),
  },
  {
    title: 'a child for each of many replicas',
    after: acto,
    law: laws.bounded,
    kind: broken(
      {
        more: ({ name, spec: { replicas } }) =>
          Array.from({ length: replicas }, (_, at) =>
            child(configMap, { name: objectName(`${name}-part-${at}`), body: {} }),
          ),
      },
      { spec: unbounded },
    ),
  },
  {
    title: 'a name from the spec is used unchanged',
    after: acto,
    law: laws.applied,
    kind: broken(
      { topicName: ({ name }, topic) => `${digestOf(name).slice(0, 20)}.${topic}` },
      { spec: anyName },
    ),
  },
  {
    title: 'two names become one when they are made legal',
    after: studies,
    law: laws.named,
    kind: broken({
      topicName: ({ name }, topic) => objectName(`${name}-topic.${topic.replaceAll('-', '')}`),
    }),
  },
  {
    title: 'a long name is cut off',
    after: practice,
    law: laws.named,
    kind: broken({ configName: ({ name }) => `${name.slice(0, 40)}-config` }),
  },
  {
    title: 'a name is too long',
    after: practice,
    law: laws.sound,
    kind: broken({ configName: ({ name }) => `${name}-config` }),
  },
  {
    title: 'the name of a child does not depend on its resource',
    after: practice,
    law: laws.named,
    kind: broken({ configName: () => 'shop-settings' }),
  },
  {
    title: 'a selector changes with a label that may be edited',
    after: acto,
    law: laws.applied,
    kind: broken({
      selector: (given) => ({ ...parts.labels(given), level: given.spec.level }),
      podLabels: (given) => ({ ...parts.labels(given), level: given.spec.level }),
    }),
  },
  {
    title: 'a claim shrinks',
    after: acto,
    law: laws.back,
    others: [laws.fresh, laws.admitted],
    kind: broken({}, { spec: resizable }),
  },
  {
    title: 'the claims of a StatefulSet are edited',
    after: acto,
    law: laws.applied,
    kind: broken(
      { claimSize: () => '1Gi', more: store(({ spec: { size } }) => size) },
      { spec: resizable, ...owning(statefulSet) },
    ),
  },
  {
    title: 'a Job has the same name for another image',
    after: practice,
    law: laws.applied,
    kind: broken({ more: migration(({ name }) => `${name}-migrate`) }, owning(job)),
  },
  {
    title: 'a claim is named after a field that may be edited',
    after: acto,
    law: laws.kept,
    kind: broken({ claimName: ({ name, spec: { level } }) => objectName(`${name}-${level}`) }),
  },
  {
    title: 'pods keep their former settings',
    after: practice,
    law: laws.restarted,
    kind: broken({ annotations: () => ({}) }),
  },
  {
    title: 'pods keep their former password',
    after: practice,
    law: laws.restarted,
    kind: broken({ annotations: (_, config) => rollOnChange(config) }),
  },
  {
    title: 'a reference to a Secret stays after its removal',
    after: sieve,
    law: laws.referred,
    kind: broken({ secretRefs: ({ name }) => [objectName(`${name}-login`)] }),
  },
  {
    title: 'pods read a key that the ConfigMap does not have',
    after: practice,
    law: laws.referred,
    kind: broken({
      containerFields: (given) => ({
        env: [
          {
            name: 'TIMEOUT',
            valueFrom: { configMapKeyRef: { name: parts.configName(given), key: 'TIMEOUT' } },
          },
        ],
      }),
    }),
  },
  {
    title: 'the probe stays at the former port',
    after: acto,
    law: laws.matched,
    kind: broken({ probePort: () => 8080 }),
  },
  {
    title: 'the Service stays at the former port',
    after: acto,
    law: laws.matched,
    kind: broken({ targetPort: () => 8080 }),
  },
  {
    title: 'a Service selects no pods',
    after: practice,
    law: laws.matched,
    kind: broken({ serviceSelector: ({ name }) => ({ name: labelValue(name) }) }),
  },
  {
    title: 'a Service targets a port name that no container has',
    after: practice,
    law: laws.matched,
    kind: broken({ targetPort: () => 'web' }),
  },
  {
    title: 'an autoscaler beside fixed replicas',
    after: practice,
    law: laws.sound,
    kind: broken({ more: scaler }, owning(horizontalPodAutoscaler)),
  },
  {
    title: 'a disruption budget that forbids every eviction',
    after: practice,
    law: laws.evictable,
    kind: broken({ least: ({ spec: { replicas } }) => replicas }),
  },
  {
    title: 'a password in a ConfigMap',
    after: practice,
    law: laws.secret,
    kind: broken({
      data: ({ spec: { greeting, level, timeout, password } }) => ({
        GREETING: greeting,
        LEVEL: level,
        TIMEOUT: String(timeout ?? -1),
        ...(password === undefined ? {} : { PASSWORD: password }),
      }),
    }),
  },
  {
    title: 'a type that the kind does not own',
    after: practice,
    law: laws.sound,
    kind: broken({ more: migration(({ name }) => `${name}-migrate`) }),
  },
  {
    title: 'the current time in a status',
    after: sieve,
    law: laws.sound,
    kind: broken(
      {},
      {
        status: { seen: Type.Optional(Type.String()) },
        statusOf: () => ({ seen: new Date().toISOString() }),
      },
    ),
  },
  {
    title: 'a status that changes in every run',
    after: sieve,
    law: laws.quiet,
    kind: broken(
      {},
      {
        status: { runs: Type.Optional(Type.Integer()) },
        // Deterministic while there are no children, as in the checks of `generate`.
        statusOf: ({ children }: { readonly children: readonly object[] }) => ({
          runs: children.length === 0 ? 0 : ++calls,
        }),
      },
    ),
  },
  {
    title: 'a condition that flaps',
    after: sieve,
    law: laws.quiet,
    kind: broken(
      {},
      {
        conditions: ['Busy'],
        conditionsOf: ({ children }: { readonly children: readonly object[] }) => [
          {
            type: 'Busy',
            status: children.length > 0 && Math.random() < 0.5 ? 'True' : 'False',
            reason: 'Counted',
            message: 'counted',
          },
        ],
      },
    ),
  },
  {
    title: 'a value that contradicts a rule of the API server',
    after: practice,
    law: laws.sound,
    kind: broken({ workloadFields: () => ({ strategy: { type: 'Recreate', rollingUpdate: {} } }) }),
  },
  {
    title: 'an empty list becomes a missing child that others need',
    after: acto,
    law: laws.applied,
    kind: broken({
      more: (given) => [
        child(configMap, {
          name: objectName(`${given.name}-index`),
          body: {},
          needs: [
            { type: configMap, name: parts.topicName(given, given.spec.topics[0]?.name ?? 'none') },
          ],
        }),
      ],
    }),
  },
  {
    title: 'a Deployment to which admission adds a container is never ready',
    after: practice,
    law: laws.admitted,
    kind: defined((given) => shop()(given).map((one) => ({ ...one, type: alone(one.type) })), {
      owns: healthy.owns.map(alone),
    }),
  },
  {
    title: 'an equal quantity, written in another way, restarts the pods',
    after: acto,
    law: undefined,
    kind: broken({
      annotations: ({ spec: { size } }, config, credentials) => ({
        ...rollOnChange(config, ...credentials),
        size,
      }),
    }),
  },
  {
    title: 'settings that the application does not understand',
    after: studies,
    law: undefined,
    kind: broken({
      data: ({ spec: { greeting, level, timeout } }) => ({
        GREETING: greeting,
        LOGLEVEL: level.toUpperCase(),
        TIMEOUT: String(timeout ?? -1),
      }),
    }),
  },
];
