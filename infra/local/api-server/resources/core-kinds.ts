import {
  claimPrinter,
  configMapPrinter,
  namespacePrinter,
  secretPrinter,
} from '../printers/data.ts';
import { servicePrinter } from '../printers/network.ts';
import { agePrinter } from '../printers/printer.ts';
import { podPrinter } from '../printers/workloads.ts';
import { configMap } from './config-map.ts';
import { persistentVolumeClaim, pod, serviceAccount } from './data-kinds.ts';
import type { KindEntry } from './kind-table.ts';
import { namespace } from './namespace.ts';
import { secret } from './secret.ts';
import { service } from './service.ts';

const core = { group: '', version: 'v1' };

/** The kinds of the core group, but for Events. */
export const coreKinds: readonly KindEntry[] = [
  {
    ...core,
    kind: 'Namespace',
    plural: 'namespaces',
    strategy: namespace,
    printer: namespacePrinter,
    shortNames: ['ns'],
    clusterWide: true,
    status: true,
    fields: ['status.phase'],
  },
  {
    ...core,
    kind: 'Service',
    plural: 'services',
    strategy: service,
    printer: servicePrinter,
    shortNames: ['svc'],
    categories: ['all'],
    status: true,
    fields: ['spec.clusterIP', 'spec.type'],
  },
  {
    ...core,
    kind: 'Secret',
    plural: 'secrets',
    strategy: secret,
    printer: secretPrinter,
    fields: ['type'],
  },
  {
    ...core,
    kind: 'ConfigMap',
    plural: 'configmaps',
    strategy: configMap,
    printer: configMapPrinter,
    shortNames: ['cm'],
  },
  {
    ...core,
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    strategy: serviceAccount,
    printer: agePrinter,
    shortNames: ['sa'],
  },
  {
    ...core,
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    strategy: persistentVolumeClaim,
    printer: claimPrinter,
    shortNames: ['pvc'],
    status: true,
  },
  {
    ...core,
    kind: 'Pod',
    plural: 'pods',
    strategy: pod,
    printer: podPrinter,
    shortNames: ['po'],
    categories: ['all'],
    status: true,
    fields: ['spec.nodeName', 'spec.restartPolicy', 'spec.serviceAccountName', 'status.phase'],
  },
];
