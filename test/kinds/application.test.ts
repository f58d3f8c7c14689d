import { describe, expect, it } from 'vitest';
import { digestOf, secretDigestAnnotation } from '../../shared/kinds/names.ts';
import { application } from '../../systems/application.ts';
import { casesOf } from '../support/cases.ts';
import { childOf, childrenOf, listed } from '../support/kinds.ts';

const hashLabel = 'application.sample.ibm.com/spec-hash';
const app = { app: 'shop-microservice' };
const data = (greeting: string) => ({
  GREETING_MESSAGE: Buffer.from(greeting).toString('base64'),
});

interface Sizes {
  readonly version?: string;
  readonly pods?: number;
  readonly image?: string;
  readonly greeting?: string;
}

const deploymentSpec = ({
  version = '1.0.0',
  pods = 1,
  image = 'docker.io/nheidloff/simple-microservice:latest',
  greeting = 'World',
}: Sizes) => ({
  replicas: pods,
  selector: { matchLabels: app },
  template: {
    metadata: {
      labels: { ...app, 'app.kubernetes.io/version': version },
      annotations: { [secretDigestAnnotation]: digestOf(data(greeting)) },
    },
    spec: {
      containers: [
        {
          name: 'shop-microservice',
          image,
          imagePullPolicy: image.endsWith(':latest') ? 'Always' : 'IfNotPresent',
          ports: [{ containerPort: 8081, protocol: 'TCP' }],
          env: [
            {
              name: 'GREETING_MESSAGE',
              valueFrom: {
                secretKeyRef: { name: 'shop-secret-greeting', key: 'GREETING_MESSAGE' },
              },
            },
          ],
          livenessProbe: {
            httpGet: { path: '/q/health/live', port: 8081 },
            initialDelaySeconds: 40,
          },
          readinessProbe: {
            httpGet: { path: '/q/health/ready', port: 8081 },
            initialDelaySeconds: 20,
          },
        },
      ],
    },
  },
});

const deploymentOf = (spec: object, over?: object) =>
  childOf(childrenOf(application, spec, over), 'Deployment');

const cases: Record<string, { reason: string; given: object; want: Sizes }> = {
  'A-8 Defaults': { reason: 'no amount means 1', given: {}, want: {} },
  'A-8 NoPods': { reason: '0 is an amount', given: { amountPods: 0 }, want: { pods: 0 } },
  'A-2 AmountPods': {
    reason: 'the amount becomes replicas',
    given: { amountPods: 5 },
    want: { pods: 5 },
  },
  'A-3 Image': {
    reason: 'the image changes alone',
    given: { image: 'a:2' },
    want: { image: 'a:2' },
  },
  'A-3 Together': {
    reason: 'the image changes together with the pods',
    given: { image: 'a:2', amountPods: 3, version: '2' },
    want: { image: 'a:2', pods: 3, version: '2' },
  },
  'A-5 Greeting': {
    reason: 'another greeting rolls the pods',
    given: { greeting: 'Grüße' },
    want: { greeting: 'Grüße' },
  },
};

describe('children of an Application', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    const children = childrenOf(application, given);
    const [secret, deployment, service] = children;
    const spec = deploymentSpec(want);
    expect(children).toHaveLength(3);
    expect(secret).toMatchObject({
      type: { kind: 'Secret' },
      name: 'shop-secret-greeting',
      body: { data: data(want.greeting ?? 'World') },
    });
    expect(deployment).toMatchObject({
      type: { kind: 'Deployment' },
      name: 'shop-deployment-microservice',
      body: { spec },
    });
    expect(deployment?.labels).toEqual({
      'app.kubernetes.io/version': want.version ?? '1.0.0',
      [hashLabel]: digestOf(spec).slice(0, 63),
    });
    expect(service).toMatchObject({
      type: { kind: 'Service' },
      name: 'shop-service-microservice',
      body: {
        spec: {
          type: 'ClusterIP',
          selector: app,
          ports: [{ port: 8081, protocol: 'TCP', targetPort: 8081 }],
        },
      },
    });
  });

  it('A-5 writes the Deployment only once the Secret holds what its digest says', () => {
    expect(deploymentOf({}).needs).toMatchObject([
      { type: { kind: 'Secret' }, name: 'shop-secret-greeting' },
    ]);
  });

  it('A-5 shows the greeting in the Secret and nowhere else', () => {
    const [, ...others] = childrenOf(application, { greeting: 'Sesame' });
    const bodies = JSON.stringify(others.map(({ body, labels }) => ({ body, labels })));
    expect(bodies).not.toContain('Sesame');
    expect(bodies).not.toContain(Buffer.from('Sesame').toString('base64'));
  });

  it('A-9 selects the pods of no other Application', () => {
    const names = ['a', 'a-microservice', 'b', 'a.b', 'a-b'];
    const selectors = names.map((name) =>
      JSON.stringify(childOf(childrenOf(application, {}, { name }), 'Service').body),
    );
    expect(new Set(selectors).size).toBe(names.length);
  });
});

describe('the hash of an Application', () => {
  const hashOf = (spec: object, over?: object) => deploymentOf(spec, over).labels?.[hashLabel];

  it('A-2 A-3 A-5 differs for any change of the Deployment', () => {
    const specs = [
      {},
      { amountPods: 2 },
      { image: 'a' },
      { version: '2' },
      { greeting: 'you' },
      { greeting: 'you', amountPods: 2 },
    ];
    expect(new Set(specs.map((spec) => hashOf(spec))).size).toBe(specs.length);
  });

  it('A-4 is legal in a label, and the same in every run', () => {
    expect(hashOf({})).toMatch(/^[0-9a-f]{63}$/);
    expect(hashOf({ amountPods: 1, version: '1.0.0' })).toBe(hashOf({ version: '1.0.0' }));
    expect(hashOf({}, { uid: 'u2', namespace: 'other' })).toBe(hashOf({}));
  });
});

const names: Record<string, { reason: string; given: string; want: readonly unknown[] }> = {
  Longest: {
    reason: '39 characters and the suffix fit a label',
    given: 'n'.repeat(39),
    want: [
      `Secret ${'n'.repeat(39)}-secret-greeting`,
      `Deployment ${'n'.repeat(39)}-deployment-microservice`,
      `Service ${'n'.repeat(39)}-service-microservice`,
    ],
  },
  Dot: {
    reason: 'the name of a Service has no dots',
    given: 'my.app',
    want: [
      'Secret my.app-secret-greeting',
      'Deployment my.app-deployment-microservice',
      expect.stringMatching(/^Service my-app-service-microservice-[0-9a-f]{10}$/),
    ],
  },
  DigitFirst: {
    reason: 'the name of a Service begins with a letter',
    given: '1app',
    want: [
      'Secret 1app-secret-greeting',
      'Deployment 1app-deployment-microservice',
      expect.stringMatching(/^Service app-service-microservice-[0-9a-f]{10}$/),
    ],
  },
};

describe('names of an Application', () => {
  it.each(casesOf(names))('C-12 %s', (_, { given, want }) => {
    expect(listed(childrenOf(application, {}, { name: given }))).toEqual(want);
  });

  it('C-12 has a container name without dots', () => {
    expect(JSON.stringify(deploymentOf({}, { name: 'my.app' }).body)).toMatch(
      /"name":"my-app-microservice-[0-9a-f]{10}"/,
    );
  });
});
