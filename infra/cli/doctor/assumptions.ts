import type { Environment } from '../../../shared/environment.ts';
import type { Interval } from '../interval.ts';
import type { ChosenContext } from '../kubeconfig.ts';

/** The assumed configuration of the functions: nothing in a cluster shows it. */
export interface Assumption {
  readonly name: string;
  /** Undefined where it is not set, and the default holds. */
  readonly value: string | undefined;
  readonly from: string;
}

const defaults: Readonly<Record<string, string>> = {
  KINDS: 'all',
  NAMESPACES: 'all',
  OWN_IDENTITY: 'unknown',
};

/** With the settings of the kinds, as their configuration names them. */
export const assumedVariables = (settings: readonly string[]): readonly string[] => [
  ...Object.keys(defaults),
  ...settings,
];

/** The variables that decide what is examined, and where each was taken from. */
export const assumptions = (
  env: Environment,
  {
    context,
    settings,
  }: { readonly context: ChosenContext | undefined; readonly settings: readonly string[] },
): readonly Assumption[] =>
  assumedVariables(settings).map((name) => {
    const own = env[name];
    const value = (own ?? context?.settings[name])?.trim();
    if (value === undefined || value === '') return { name, value: undefined, from: 'default' };
    return {
      name,
      value,
      from: own === undefined ? `context ${context?.name} of the kubeconfig` : 'environment',
    };
  });

/** `Assumed configuration of the functions: KINDS=Foo (environment), NAMESPACES all, …` */
export function describeAssumptions(
  found: readonly Assumption[],
  { text, from }: Interval,
): string {
  const words = found.map(({ name, value, from }) =>
    value === undefined ? `${name} ${defaults[name] ?? 'not set'}` : `${name}=${value} (${from})`,
  );
  return `Assumed configuration of the functions: ${words.join(', ')}; a tick every ${text}${from === undefined ? '' : ` (${from})`}`;
}
