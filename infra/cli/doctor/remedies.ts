import type { KubeContext, KubeOptions } from '../kubeconfig.ts';

/** Commands for the cluster that is looked at. */
export interface Remedies {
  readonly kubectl: (words: string) => string;
  readonly reconciler: (words: string) => string;
  /** Pipes what `generate` writes into kubectl. */
  readonly generated: (what: string, kubectlWords: string) => string;
}

/** Without a context the cluster was given by its endpoint, and kubectl has to be told otherwise. */
export function remediesFor(
  context: KubeContext | undefined,
  options: KubeOptions,
  localKubeconfig: string,
): Remedies {
  const file = options.kubeconfig ?? context?.files.find((one) => one === localKubeconfig);
  const flags = [
    ...(file === undefined ? [] : ['--kubeconfig', quote(file)]),
    ...(context === undefined ? [] : ['--context', quote(context.name)]),
  ];
  const kubectl = (words: string): string => ['kubectl', ...flags, words].join(' ');
  return {
    kubectl,
    reconciler: (words) => ['npm run reconciler --', words, ...flags].join(' '),
    generated: (what, words) => `npm run -s reconciler -- generate ${what} | ${kubectl(words)}`,
  };
}

/** A word for a shell. */
export const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
