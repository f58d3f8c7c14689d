import { ingressPrinter } from '../printers/network.ts';
import {
  autoscalerPrinter,
  deploymentPrinter,
  replicaSetPrinter,
  statefulSetPrinter,
} from '../printers/workloads.ts';
import { replicaSet } from './data-kinds.ts';
import { deployment } from './deployment.ts';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';
import { ingress } from './ingress.ts';
import type { KindEntry } from './kind-table.ts';
import type { ScalePaths } from './resource.ts';
import { statefulSet } from './stateful-set.ts';

const SCALE: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

const apps = {
  group: 'apps',
  version: 'v1',
  categories: ['all'],
  status: true,
  scale: SCALE,
} as const;

/** What runs, scales and exposes pods. */
export const workloadKinds: readonly KindEntry[] = [
  {
    ...apps,
    kind: 'Deployment',
    plural: 'deployments',
    strategy: deployment,
    printer: deploymentPrinter,
    shortNames: ['deploy'],
  },
  {
    ...apps,
    kind: 'ReplicaSet',
    plural: 'replicasets',
    strategy: replicaSet,
    printer: replicaSetPrinter,
    shortNames: ['rs'],
  },
  {
    ...apps,
    kind: 'StatefulSet',
    plural: 'statefulsets',
    strategy: statefulSet,
    printer: statefulSetPrinter,
    shortNames: ['sts'],
  },
  {
    group: 'autoscaling',
    version: 'v2',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    strategy: horizontalPodAutoscaler,
    printer: autoscalerPrinter,
    shortNames: ['hpa'],
    categories: ['all'],
    status: true,
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    kind: 'Ingress',
    plural: 'ingresses',
    strategy: ingress,
    printer: ingressPrinter,
    shortNames: ['ing'],
    status: true,
  },
];
