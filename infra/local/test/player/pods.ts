import { list, maybe, one, rarely, record, some } from './random.ts';

const quantity = one('100m', '0.1', '1', '1500m', '100u', '64Mi', '1024Mi', '1e3', 2, '-1', '0');
const resources = record({
  requests: maybe(record({ cpu: maybe(quantity), memory: maybe(quantity) })),
  limits: maybe(record({ cpu: maybe(quantity), memory: maybe(quantity) })),
});

const port = one('http', 8080, 80, 0, 65536, 'no name that is good');
const handler = record({
  httpGet: maybe(record({ path: maybe(one('/', '/healthz')), port })),
  tcpSocket: rarely(6, record({ port })),
  exec: rarely(6, { command: ['true'] }),
});
const probe = (random: Parameters<typeof handler>[0]) => ({
  ...(handler(random) as object),
  ...(record({
    periodSeconds: maybe(one(5, 10, 0)),
    failureThreshold: maybe(one(1, 3)),
    initialDelaySeconds: rarely(3, one(0, 5, -1)),
    successThreshold: rarely(5, one(1, 2)),
    timeoutSeconds: rarely(4, one(0, 1)),
  })(random) as object),
});

const variable = (name: string) =>
  one(
    record({ name, value: maybe(one('1', '2', '')) }),
    record({ name, value: one('1', '2') }),
    record({
      name,
      valueFrom: one(
        { secretKeyRef: { name: 'x', key: 'a' } },
        { configMapKeyRef: { name: 'x', key: 'a', optional: true } },
        { fieldRef: { fieldPath: 'metadata.name' } },
      ),
    }),
  );

const container = (name: unknown) =>
  record({
    name,
    image: one('nginx:1', 'nginx:2', 'nginx', 'nginx:latest'),
    command: rarely(5, one(['run'], ['run', 'it'], [])),
    args: rarely(5, one(['a'], ['a', 'b'])),
    env: maybe(some(variable('A'), variable('B'), variable('C'))),
    envFrom: rarely(8, one([{ secretRef: { name: 'x' } }], [])),
    ports: maybe(
      some(
        record({ containerPort: 80, name: maybe('http'), protocol: maybe('TCP') }),
        record({ containerPort: 80, protocol: 'UDP' }),
        record({ containerPort: one(8080, 80, 0), name: maybe(one('http', 'Bad_Name', 'admin')) }),
      ),
    ),
    resources: maybe(resources),
    readinessProbe: rarely(4, probe),
    livenessProbe: rarely(8, probe),
    imagePullPolicy: rarely(5, one('Always', 'Never', 'Sometimes')),
    volumeMounts: rarely(
      3,
      some(
        record({ name: 'v', mountPath: one('/v', '/w'), readOnly: maybe(true) }),
        record({ name: one('w', 'data'), mountPath: '/w' }),
      ),
    ),
    securityContext: rarely(6, one({ runAsNonRoot: true }, { privileged: false }, {})),
    terminationMessagePolicy: rarely(12, one('File', 'FallbackToLogsOnError', 'Other')),
  });

const volume = (name: string) =>
  one(
    { name, emptyDir: {} },
    { name },
    { name, secret: { secretName: 'x' } },
    record({ name, configMap: record({ name: 'x', defaultMode: maybe(one(420, 0, 511)) }) }),
    { name, emptyDir: { sizeLimit: '1024Mi' } },
  );

const toleration = one(
  { key: 'a', operator: 'Exists' },
  { key: 'a', value: 'b', effect: 'NoSchedule' },
  { key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 },
);

/** A pod template that is valid most of the time. */
export const podTemplate = record({
  metadata: record({
    labels: one({ app: 'web' }, { app: 'web', tier: 'a' }, { app: 'web' }, { app: 'other' }),
    annotations: rarely(3, one({ a: '1' }, { a: '2', b: '1' }, {})),
  }),
  spec: record({
    containers: one(
      list(1, 1, container('web')),
      some(container('web'), container('side')),
      list(1, 1, container('web')),
      list(1, 2, container(one('web', 'side'))),
    ),
    initContainers: rarely(6, list(1, 1, container(one('init', 'web')))),
    volumes: rarely(2, some(volume('v'), volume('w'))),
    terminationGracePeriodSeconds: rarely(4, one(0, 30, 5, -1)),
    serviceAccountName: rarely(5, one('robot', 'other')),
    serviceAccount: rarely(12, one('robot', 'other')),
    restartPolicy: rarely(6, one('Always', 'Never')),
    nodeSelector: rarely(6, one({ a: 'b' }, {})),
    tolerations: rarely(6, list(0, 2, toleration)),
    imagePullSecrets: rarely(6, some({ name: 'x' }, { name: 'y' })),
    securityContext: rarely(6, one({ fsGroup: 1 }, { runAsUser: 1000 }, {})),
    hostNetwork: rarely(12, one(true, false)),
    dnsPolicy: rarely(12, one('Default', 'ClusterFirst')),
  }),
});
