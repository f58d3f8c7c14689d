import { paths } from '../contract/objects.ts';
import { valueAt } from '../contract/value-at.ts';
import {
  autoscalerSpec,
  configMapContent,
  deploymentSpec,
  ingressSpec,
  secretContent,
  serviceSpec,
  statefulSetSpec,
} from './built-in-kinds.ts';
import { ofSchema } from './custom-kinds.ts';
import { type Maker, record } from './random.ts';

/** A kind that the player uses. */
export interface Subject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly collection: string;
  /** An object without its type and metadata. */
  readonly content: Maker;
  readonly status?: Maker;
  readonly isCustom: boolean;
  readonly scalable: boolean;
  /** Its weight among the kinds. */
  readonly weight: number;
}

const builtIn = (given: Omit<Subject, 'isCustom' | 'scalable'> & { scalable?: true }): Subject => ({
  isCustom: false,
  scalable: false,
  ...given,
});

const counts = { observedGeneration: 1, replicas: 2, readyReplicas: 1 };
const workloadStatus = record({
  status: ofSchema({
    type: 'object',
    properties: {
      ...Object.fromEntries(Object.keys(counts).map((name) => [name, { type: 'integer' }])),
      conditions: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type', 'status'],
          properties: {
            type: { enum: ['Available', 'Progressing'] },
            status: { enum: ['True', 'False'] },
            reason: { type: 'string' },
          },
        },
      },
    },
  }),
});

const builtIns: readonly Subject[] = [
  builtIn({
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    collection: paths.deployments,
    content: record({ spec: deploymentSpec }),
    status: workloadStatus,
    scalable: true,
    weight: 4,
  }),
  builtIn({
    kind: 'StatefulSet',
    apiVersion: 'apps/v1',
    collection: paths.statefulSets,
    content: record({ spec: statefulSetSpec }),
    status: workloadStatus,
    scalable: true,
    weight: 2,
  }),
  builtIn({
    kind: 'Service',
    apiVersion: 'v1',
    collection: paths.services,
    content: record({ spec: serviceSpec }),
    weight: 4,
  }),
  builtIn({
    kind: 'Secret',
    apiVersion: 'v1',
    collection: paths.secrets,
    content: secretContent,
    weight: 3,
  }),
  builtIn({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    collection: paths.configMaps,
    content: configMapContent,
    weight: 3,
  }),
  builtIn({
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    collection: paths.autoscalers,
    content: record({ spec: autoscalerSpec }),
    weight: 2,
  }),
  builtIn({
    kind: 'Ingress',
    apiVersion: 'networking.k8s.io/v1',
    collection: paths.ingresses,
    content: record({ spec: ingressSpec }),
    weight: 2,
  }),
];

/** Returns the kinds that the player uses: the built-in ones and those of these definitions. */
export const subjectsOf = (definitions: readonly object[]): readonly Subject[] => [
  ...builtIns,
  ...definitions.map(customSubject),
];

function customSubject(definition: object): Subject {
  const text = (path: string) => String(valueAt(definition, `spec.${path}`));
  const [group, version, plural] = [text('group'), text('versions.0.name'), text('names.plural')];
  const properties = valueAt(definition, 'spec.versions.0.schema.openAPIV3Schema.properties');
  const { spec, status } = properties as { readonly spec: object; readonly status: object };
  const isGadget = plural === 'gadgets';
  return {
    kind: text('names.kind'),
    apiVersion: `${group}/${version}`,
    collection: `/apis/${group}/${version}/namespaces/{ns}/${plural}`,
    content: record({ spec: ofSchema(spec) }),
    status: record({ status: ofSchema(status) }),
    isCustom: true,
    scalable: isGadget,
    weight: isGadget ? 5 : 1,
  };
}
