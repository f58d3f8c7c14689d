import type { Policies } from '../../shared/config/define-config.ts';
import { ConfigError } from '../../shared/environment.ts';
import { impacts } from '../../shared/kinds/impact.ts';
import { countOrPercentage } from '../../shared/kinds/rollout-budget.ts';
import { type ClusterImpact, effectsOf, isChange } from './fleet-impact.ts';

export interface Verdict {
  /** The impact that the policy limits: `restart` */
  readonly policy: string;
  /** The limit as configured: `5%` */
  readonly most: string;
  readonly allowed: number;
  readonly resources: number;
  readonly isBroken: boolean;
}

const subjects: readonly string[] = [...impacts, 'delete'];

export function requirePolicies(policies: Readonly<Record<string, unknown>>): Policies {
  for (const [subject, most] of Object.entries(policies)) {
    if (!subjects.includes(subject))
      throw new ConfigError(
        `policies.${subject}: not an impact; choose from ${subjects.join(', ')}`,
      );
    if (countOrPercentage(String(most)) === undefined)
      throw new ConfigError(
        `policies.${subject}: "${most}" is neither a number of resources such as 0 nor a percentage such as '5%'`,
      );
  }
  return policies;
}

export function verdictsOn(
  clusters: readonly ClusterImpact[],
  policies: Policies,
): readonly Verdict[] {
  const total = clusters.reduce((sum, one) => sum + one.resources, 0);
  const affected = clusters.flatMap(({ changed }) =>
    changed.map(({ actions }) => new Set<string>(actions.filter(isChange).flatMap(effectsOf))),
  );
  return Object.entries(policies).map(([policy, limit]) => {
    const most = String(limit);
    const allowed = countOrPercentage(most)?.(total) ?? 0;
    const resources = affected.filter((one) => one.has(policy)).length;
    return { policy, most, allowed, resources, isBroken: resources > allowed };
  });
}
