import { ConfigError } from '../environment.ts';
import { type Impact, impacts } from '../kinds/impact.ts';
import { countOrPercentage } from '../kinds/rollout-budget.ts';

/**
 * For each impact, and for the deletion of children: how many resources of all clusters together new code may affect.
 * Either a number such as `0` or a percentage such as `'5%'`.
 */
export type Policies = { readonly [Subject in Impact | 'delete']?: number | string };

const subjects: readonly string[] = [...impacts, 'delete'];

/** Throws a ConfigError that names the policy. */
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
