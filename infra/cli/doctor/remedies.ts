import { resolve } from 'node:path';
import type { KubeContext, KubeOptions } from '../kubeconfig.ts';

/** Commands for the cluster that is looked at. */
export interface Remedies {
  /** The cluster is the one that npm start makes. */
  readonly isLocal: boolean;
  readonly kubectl: (words: string) => string;
  readonly reconciler: (words: string) => string;
  /** Pipes what `generate` writes into kubectl. */
  readonly generated: (what: string, kubectlWords: string) => string;
  /** Asks as the functions themselves. */
  readonly asFunctions: string;
  /** What to check where nobody answers. */
  readonly unreachable: string;
}

export interface Target {
  /** Undefined where the cluster was given by its endpoint: kubectl has to be told otherwise. */
  readonly context: KubeContext | undefined;
  readonly server: string;
}

export function remediesFor(
  { context, server }: Target,
  options: KubeOptions,
  localKubeconfig: string,
): Remedies {
  const [only = '', ...more] = context?.files ?? [];
  const isLocal = more.length === 0 && resolve(only) === localKubeconfig;
  const file = options.kubeconfig ?? (isLocal ? localKubeconfig : undefined);
  const flags = [
    ...(file === undefined ? [] : ['--kubeconfig', quote(file)]),
    ...(context === undefined ? [] : ['--context', quote(context.name)]),
  ];
  const kubectl = (words: string): string => ['kubectl', ...flags, words].join(' ');
  const ask =
    context === undefined ? `curl -m 10 ${quote(`${server}/version`)}` : kubectl('version');
  return {
    isLocal,
    kubectl,
    reconciler: (words) => ['npm run reconciler --', words, ...flags].join(' '),
    generated: (what, words) => `npm run -s reconciler -- generate ${what} | ${kubectl(words)}`,
    asFunctions: isLocal
      ? `npm run reconciler -- doctor --kubeconfig ${quote(localKubeconfig)} --context reconciler`
      : "npm run reconciler -- doctor --context NAME   # a context of the functions' own user",
    unreachable: isLocal
      ? 'npm start   # in a terminal of its own: the local cluster is there while it runs'
      : `${ask}   # silent too? Check the address, VPN or firewall; on Google Cloud, that the DNS endpoint is open to you`,
  };
}

/** A word for a shell. */
export const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
