import { cases } from './cases.ts';

const container = { name: 'web', image: 'nginx:1' };
const inContainer = (fields: object) => ({
  containers: [{ ...container, ...fields }],
  volumes: [{ name: 'a', emptyDir: {} }],
});
const inSpec = (fields: object) => ({ containers: [container], ...fields });

/** Puts a value of a type into the spec of a pod. */
const places: Readonly<Partial<Record<keyof typeof cases, (value: object) => object>>> = {
  Affinity: (affinity) => inSpec({ affinity }),
  Container: (value) => ({ ...inContainer(value), containers: [value] }),
  ContainerPort: (port) => inContainer({ ports: [port] }),
  EnvFromSource: (source) => inContainer({ envFrom: [source] }),
  EnvVar: (variable) => inContainer({ env: [variable] }),
  HostAlias: (alias) => inSpec({ hostAliases: [alias] }),
  Lifecycle: (lifecycle) => inContainer({ lifecycle }),
  PodSecurityContext: (securityContext) => inSpec({ securityContext }),
  PodSpec: (spec) => spec,
  Probe: (livenessProbe) => inContainer({ livenessProbe }),
  ResourceRequirements: (resources) => inContainer({ resources }),
  SecurityContext: (securityContext) => inContainer({ securityContext }),
  Toleration: (toleration) => inSpec({ tolerations: [toleration] }),
  TopologySpreadConstraint: (constraint) => inSpec({ topologySpreadConstraints: [constraint] }),
  Volume: (volume) => inSpec({ volumes: [volume] }),
  VolumeMount: (mount) => inContainer({ volumeMounts: [mount] }),
};

export interface PodCase {
  readonly title: string;
  readonly spec: object;
  readonly isGood: boolean;
}

/** The cases of all types that pods consist of, each as the spec of a pod. */
export const podCases: readonly PodCase[] = Object.entries(places).flatMap(([name, place]) => {
  const { good, bad } = cases[name as keyof typeof cases];
  return [
    ...good.map((value) => ({
      title: `${name} ${JSON.stringify(value)}`,
      spec: place(value as object),
      isGood: true,
    })),
    ...Object.entries(bad).map(([reason, value]) => ({
      title: `${name}: ${reason}`,
      spec: place(value as object),
      isGood: false,
    })),
  ];
});
