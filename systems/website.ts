import {
  type api,
  child,
  defineKind,
  deployment,
  dnsLabel,
  labelValue,
  pullPolicyOf,
  service,
  Type,
  workloadName,
} from '../index.ts';

/** A web site: a Deployment of two pods and a Service on a node port. */
export const website = defineKind({
  group: 'kubecon.my.domain',
  version: 'v1beta1',
  kind: 'Website',
  plural: 'websites',
  spec: Type.Object(
    {
      imageTag: Type.String({
        description: 'Tag of the image that is served.',
        pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$',
      }),
      nodePort: Type.Integer({
        description: 'Port on every node that serves the site. Each Website needs its own.',
        minimum: 30000,
        maximum: 32767,
        default: 31000,
      }),
    },
    { description: 'A web site: a Deployment of two pods and a Service on a node port.' },
  ),
  columns: [
    { name: 'Image Tag', type: 'string', jsonPath: '.spec.imageTag' },
    { name: 'Node Port', type: 'integer', jsonPath: '.spec.nodePort' },
  ],
  samples: [{ name: 'website-sample', spec: { imageTag: 'latest' } }],
  owns: [deployment, service],
  children({ name, spec }) {
    const labels = { website: labelValue(name), type: 'Website' };
    const image = `${repository}:${spec.imageTag}`;
    const container: api.Container = {
      name: 'nginx',
      image,
      imagePullPolicy: pullPolicyOf(image),
      ports: [{ containerPort: 80, protocol: 'TCP' }],
    };
    return [
      child(deployment, {
        name: workloadName(name),
        labels,
        body: {
          spec: {
            replicas: 2,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [container] } },
          },
        },
      }),
      child(service, {
        name: dnsLabel(name),
        labels,
        body: {
          spec: {
            type: 'NodePort',
            selector: labels,
            ports: [{ port: 80, protocol: 'TCP', targetPort: 80, nodePort: spec.nodePort }],
          },
        },
      }),
    ];
  },
  notes({ newGeneration, changes }) {
    const change = changes.find(({ path }) => path === imagePath);
    if (!newGeneration || typeof change?.from !== 'string') return [];
    const message = `Image tag has updated from "${tagOf(change.from)}" to "${tagOf(String(change.to))}"`;
    return [{ type: 'Normal', reason: 'ImageUpdated', message }];
  },
});

const repository = 'abangser/todo-local-storage';
const imagePath = 'spec.template.spec.containers[name="nginx"].image';
const tagOf = (image: string): string => image.slice(image.lastIndexOf(':') + 1);
