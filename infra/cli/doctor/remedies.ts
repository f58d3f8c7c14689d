import { resolve } from 'node:path';
import type { Environment } from '../../../shared/environment.ts';
import { commandName, quietCommand } from '../../package-root.ts';
import type { ChosenContext, KubeOptions } from '../base/choose-context.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Terminal } from '../base/terminal.ts';

export type Remedies = ReturnType<typeof remediesFor>;

interface KubectlTarget {
  /** Undefined if CLUSTER_ENDPOINT selects the cluster. */
  readonly context: ChosenContext | undefined;
  readonly server: string;
  /** The environment variables that kinds read, such as `INGRESS_CLASS`. */
  readonly settings: readonly string[];
}

/**
 * Builds shell commands for the examined cluster. They repeat the options and environment variables of this `doctor`
 * command, because the user may have set a variable for one command only.
 *
 * Caveats: paths may be relative to the current directory.
 */
export function remediesFor(
  { context, server, settings: ofKinds }: KubectlTarget,
  options: KubeOptions & { readonly as?: string; readonly config?: string },
  { env, localKubeconfig }: Pick<Terminal, 'env' | 'localKubeconfig'>,
) {
  const [only = '', ...more] = context?.files ?? [];
  const isLocal = more.length === 0 && resolve(only) === localKubeconfig;
  const file = options.kubeconfig ?? (isLocal ? localKubeconfig : undefined);
  const where = flagsOf({ kubeconfig: file });
  const flags = [...where, ...flagsOf({ context: context?.name })];
  const { config } = options;
  const { kubeconfig, kinds, settings } = variablesOf(context, env, {
    isFileNamed: file !== undefined,
    ofKinds,
  });
  const join = (...words: readonly string[]): string => words.join(' ');
  const kubectl = (words: string): string => join(...kubeconfig, 'kubectl', ...flags, words);
  const ask =
    context === undefined ? `curl -m 10 ${shellQuote(`${server}/version`)}` : kubectl('version');
  const commandOn = (words: string, target: readonly string[], as?: string): string =>
    join(...settings, ...kubeconfig, commandName, words, ...flagsOf({ config, as }), ...target);
  return {
    kubectl,
    doctor: (as = options.as): string => commandOn('doctor', flags, as),
    release: (kind: string): string => commandOn(`release ${kind}`, flags),
    /** Pipes the output of `generate` into kubectl, for one kind if `only` is given. */
    generated(what: string, words: string, only?: string): string {
      const chosen = only === undefined ? kinds : [`KINDS=${only}`];
      const generate = join(...chosen, `${quietCommand} generate`, what, ...flagsOf({ config }));
      return `${generate} | ${kubectl(words)}`;
    },
    /** Runs doctor as the functions' own user. */
    asFunctions: isLocal
      ? commandOn('doctor', [...where, '--context reconciler'])
      : `${commandOn('doctor', [...where, '--context NAME'])}   # a context of the functions' own user`,
    unreachable: isLocal
      ? 'npm start   # in another terminal: the local cluster exists only while it runs'
      : `${ask}   # if that gets no response either, check the address, VPN and firewall; on Google Cloud, check that you can reach the DNS endpoint`,
  };
}

function variablesOf(
  context: ChosenContext | undefined,
  env: Environment,
  { isFileNamed, ofKinds }: { readonly isFileNamed: boolean; readonly ofKinds: readonly string[] },
) {
  const ofContext = context?.settings ?? {};
  const assign = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => {
      const value = env[name]?.trim();
      // Omits an empty variable, unless it overrides a setting of the context.
      const isIrrelevant = value === undefined || (value === '' && ofContext[name] === undefined);
      return isIrrelevant ? [] : [`${name}=${shellQuote(value)}`];
    });
  const endpoint = context === undefined ? ['CLUSTER_ENDPOINT', 'CLUSTER_CA'] : [];
  return {
    kubeconfig: assign(context === undefined || isFileNamed ? [] : ['KUBECONFIG']),
    kinds: assign(['KINDS']),
    settings: assign([...endpoint, 'KINDS', 'NAMESPACES', 'OWN_IDENTITY', ...ofKinds]),
  };
}

const flagsOf = (values: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, shellQuote(value)],
  );
