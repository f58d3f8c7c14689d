import { readFileSync } from 'node:fs';
import type { Resource } from '../resources/resource.ts';
import { accessKinds } from './access.ts';
import { autoscalerKind } from './autoscaler/autoscaler.ts';
import { cronJobKind } from './batch/cron-job.ts';
import { jobKind } from './batch/job.ts';
import { claimKind } from './claim/claim.ts';
import { configMapKind } from './data/config-map.ts';
import { secretKind } from './data/secret.ts';
import { definitionKind } from './definition/kind.ts';
import { disruptionBudgetKind } from './disruption-budget.ts';
import { eventKinds } from './event/event.ts';
import { genericEntry } from './generic/entry.ts';
import { ingressKind } from './ingress/ingress.ts';
import { type DiscoveredKind, type KindEntry, toResource } from './kind.ts';
import { leaseKind } from './lease.ts';
import { namespaceKind } from './namespace.ts';
import { networkPolicyKind } from './network-policy.ts';
import { podKind } from './pod/pod.ts';
import type { BuiltInSchemas } from './schemas.ts';
import { serviceKind } from './service/service.ts';
import { serviceAccountKind } from './service-account.ts';
import { daemonSetKind } from './workload/daemon-set.ts';
import { deploymentKind } from './workload/deployment.ts';
import { replicaSetKind } from './workload/replica-set.ts';
import { statefulSetKind } from './workload/stateful-set.ts';

const kinds: readonly KindEntry[] = [
  namespaceKind,
  serviceKind,
  secretKind,
  configMapKind,
  serviceAccountKind,
  claimKind,
  podKind,
  deploymentKind,
  replicaSetKind,
  statefulSetKind,
  daemonSetKind,
  jobKind,
  cronJobKind,
  disruptionBudgetKind,
  autoscalerKind,
  ingressKind,
  networkPolicyKind,
  ...eventKinds,
  leaseKind,
  ...accessKinds,
  definitionKind,
];

/** All built-in resources: resources with an entry of their own, and generic resources. */
export function builtInResources(schemas: BuiltInSchemas): Resource[] {
  const entries = new Map(kinds.map((one) => [`${one.kind}.${one.group}`, one]));
  return readDiscoveredKinds().map((kind) => {
    const source = schemas.schemaOf(kind.group, kind.version, kind.kind);
    const entry = entries.get(`${kind.kind}.${kind.group}`) ?? genericEntry(kind, source);
    return toResource(kind, entry, source);
  });
}

function readDiscoveredKinds(): DiscoveredKind[] {
  return JSON.parse(readFileSync(new URL('../generated/kinds.json', import.meta.url), 'utf8'));
}
