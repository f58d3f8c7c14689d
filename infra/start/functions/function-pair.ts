import type { Environment } from '../../../shared/environment.ts';
import { type FunctionProcess, type LoadedFunction, loadFunction } from './load-function.ts';

interface Ports {
  readonly resyncPort: number;
  readonly auditPort: number;
}

interface PairOptions extends Ports {
  readonly config: string;
  readonly onLine: (who: string, line: string) => void;
  readonly onExit: (target: string) => void;
}

/** The two functions of a project, which are always replaced together. */
export interface FunctionPair {
  /** Loads both functions again while the previous pair serves. Throws a StartError if a function cannot be loaded. */
  readonly load: (env: Environment) => Promise<LoadedPair>;
  readonly stop: () => Promise<void>;
}

export interface LoadedPair {
  /**
   * Begins to serve. Only now do the previous functions free their ports, so requests are refused for a few
   * milliseconds at most. The previous functions still respond to requests that they have received.
   */
  readonly serve: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

const targets = [
  { target: 'resync', port: 'resyncPort', who: 'resync' },
  { target: 'audit', port: 'auditPort', who: 'audit' },
] as const;

export function createFunctionPair(options: PairOptions): FunctionPair {
  const { config, onLine, onExit } = options;
  let serving: readonly FunctionProcess[] = [];
  const loadOne = ({ target, port, who }: (typeof targets)[number], env: Environment) =>
    loadFunction({
      target,
      port: options[port],
      source: { config },
      env,
      onLine: (line) => onLine(who, line),
      onExit,
    });
  return {
    async load(env) {
      const loaded = await allOrNone(targets.map((target) => loadOne(target, env)));
      return {
        discard: () => stopAll(loaded),
        async serve() {
          const released = await Promise.all(serving.map(({ release }) => release()));
          serving = await Promise.all(loaded.map(({ listen }) => listen()));
          await Promise.all(released.map(({ ended }) => ended));
        },
      };
    },
    stop: () => stopAll(serving),
  };
}

async function allOrNone(
  loading: readonly Promise<LoadedFunction>[],
): Promise<readonly LoadedFunction[]> {
  const results = await Promise.allSettled(loading);
  const loaded = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = results.find((one) => one.status === 'rejected');
  if (failed === undefined) return loaded;
  await stopAll(loaded);
  throw failed.reason;
}

const stopAll = async (
  stoppable: readonly { readonly stop: () => Promise<void> }[],
): Promise<void> => {
  await Promise.all(stoppable.map(({ stop }) => stop()));
};
