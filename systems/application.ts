import {
  type api,
  type Child,
  child,
  containerName,
  defineKind,
  deployment,
  digestOf,
  dnsLabel,
  labelValue,
  nameAtMost,
  objectName,
  ofType,
  pullPolicyOf,
  rollOnChange,
  secret,
  service,
  Type,
  workloadName,
} from '../index.ts';

/** A microservice: a greeting in a Secret, a Deployment that reads it, and a Service. */
export const application = defineKind({
  group: 'application.sample.ibm.com',
  version: 'v1alpha1',
  kind: 'Application',
  plural: 'applications',
  spec: Type.Object(
    {
      version: Type.String({
        description: 'Value of the label app.kubernetes.io/version.',
        pattern: '^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$',
        default: '1.0.0',
      }),
      amountPods: Type.Integer({
        description: 'Number of pods.',
        minimum: 0,
        maximum: 2_147_483_647,
        default: 1,
      }),
      image: Type.String({
        description: 'Container image.',
        minLength: 1,
        default: 'docker.io/nheidloff/simple-microservice:latest',
      }),
      greeting: Type.String({ description: 'Name that the application greets.', default: 'World' }),
    },
    { description: 'A microservice with a greeting in a Secret, behind a Service.' },
  ),
  status: {
    availableReplicas: Type.Optional(Type.Integer({ description: 'Pods that are available.' })),
  },
  scale: {
    specReplicasPath: '.spec.amountPods',
    statusReplicasPath: '.status.availableReplicas',
  },
  columns: [
    { name: 'Version', type: 'string', jsonPath: '.spec.version' },
    { name: 'Pods', type: 'integer', jsonPath: '.spec.amountPods' },
  ],
  rules: [nameAtMost(39)],
  samples: [{ name: 'application1', spec: { version: '1.0.0', amountPods: 1 } }],
  owns: [secret, deployment, service],
  children({ name, spec }) {
    const greeting = greetingSecret(name, spec.greeting);
    const app = labelValue(`${name}-microservice`);
    return [greeting, microservice({ name, spec, app, greeting }), microserviceService(name, app)];
  },
  statusOf: ({ children }) => ({
    availableReplicas: ofType(children, deployment)[0]?.facts.availableReplicas ?? 0,
  }),
});

const greetingKey = 'GREETING_MESSAGE';
const specHashLabel = 'application.sample.ibm.com/spec-hash';
const port = 8081;

const greetingSecret = (name: string, greeting: string): Child =>
  child(secret, {
    name: objectName(`${name}-secret-greeting`),
    body: { data: { [greetingKey]: Buffer.from(greeting).toString('base64') } },
  });

interface Microservice {
  readonly name: string;
  readonly spec: { readonly version: string; readonly amountPods: number; readonly image: string };
  readonly app: string;
  readonly greeting: Child;
}

function microservice({ name, spec, app, greeting }: Microservice): Child {
  const version = { 'app.kubernetes.io/version': spec.version };
  const secretKeyRef = { name: greeting.name, key: greetingKey };
  const desired: api.DeploymentSpec = {
    replicas: spec.amountPods,
    selector: { matchLabels: { app } },
    template: {
      metadata: {
        labels: { app, ...version },
        annotations: rollOnChange(greeting),
      },
      spec: {
        containers: [
          {
            name: containerName(`${name}-microservice`),
            image: spec.image,
            imagePullPolicy: pullPolicyOf(spec.image),
            ports: [{ containerPort: port, protocol: 'TCP' }],
            env: [{ name: greetingKey, valueFrom: { secretKeyRef } }],
            livenessProbe: { httpGet: { path: '/q/health/live', port }, initialDelaySeconds: 40 },
            readinessProbe: { httpGet: { path: '/q/health/ready', port }, initialDelaySeconds: 20 },
          },
        ],
      },
    },
  };
  return child(deployment, {
    name: workloadName(`${name}-deployment-microservice`),
    labels: { ...version, [specHashLabel]: digestOf(desired).slice(0, 63) },
    needs: [greeting],
    body: { spec: desired },
  });
}

const microserviceService = (name: string, app: string): Child =>
  child(service, {
    name: dnsLabel(`${name}-service-microservice`),
    body: {
      spec: {
        type: 'ClusterIP',
        selector: { app },
        ports: [{ port, protocol: 'TCP', targetPort: port }],
      },
    },
  });
