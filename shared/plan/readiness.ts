import type { KubeObject } from '../kubernetes.ts';
import { deploymentReadiness } from './readiness-of-deployment.ts';
import { statefulSetReadiness } from './readiness-of-stateful-set.ts';

/** Whether a live child does what its spec says, in kstatus' terms. */
export type Readiness =
  | { readonly state: 'Current' }
  | { readonly state: 'InProgress'; readonly message: string }
  | { readonly state: 'Failed'; readonly reason: string; readonly message: string };

const rules: Readonly<Record<string, (live: KubeObject) => Readiness>> = {
  Deployment: deploymentReadiness,
  StatefulSet: statefulSetReadiness,
  Service: serviceReadiness,
};

/** Rules of kstatus; a kind that has no rules is current as soon as it exists. */
export function readinessOf(live: KubeObject): Readiness {
  return rules[live.kind]?.(live) ?? { state: 'Current' };
}

/** An external address is not waited for: kstatus does not, and without a provider there is none. */
function serviceReadiness({ spec }: KubeObject): Readiness {
  const { type, clusterIP = '' } = spec as { readonly type?: string; readonly clusterIP?: string };
  return type === 'LoadBalancer' && clusterIP === ''
    ? { state: 'InProgress', message: 'no cluster IP assigned yet' }
    : { state: 'Current' };
}
