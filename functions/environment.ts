import { AsyncLocalStorage } from 'node:async_hooks';
import { parseConfig } from '../shared/config/config.ts';
import { ConfigError } from '../shared/config/error.ts';
import { type Clusters, createClusters } from '../shared/controller/clusters.ts';
import { createLog, type Log } from '../shared/log.ts';

/** What the functions of this process work with. */
export interface FunctionContext {
  readonly log: Log;
  readonly clusters: Clusters;
  /** Runs `act`; every line logged meanwhile carries these fields. */
  readonly within: <T>(fields: Readonly<Record<string, unknown>>, act: () => T) => T;
  /** The Google Cloud project whose traces log lines belong to. */
  readonly project: string | undefined;
}

/**
 * Reads the configuration from the environment; a process without a valid one logs the error and exits.
 *
 * Caveats: NODE_ENV is set where it is not, before the framework makes its server: otherwise its answer
 * to a body it cannot parse is a stack trace with the paths of this machine.
 */
export function contextFromEnvironment(): FunctionContext {
  process.env.NODE_ENV ??= 'production';
  const config = configOrExit();
  const fieldsOfRequest = new AsyncLocalStorage<Readonly<Record<string, unknown>>>();
  const log = createLog(write, config.logLevel, () => fieldsOfRequest.getStore() ?? {});
  return {
    log,
    clusters: createClusters(config, log),
    within: (fields, act) => fieldsOfRequest.run(fields, act),
    project: config.project,
  };
}

function configOrExit() {
  try {
    return parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // Logged as any other line, or no alert on severity would count it.
    createLog(write, 'ERROR').error('configuration refused', { error: error.message });
    return process.exit(1);
  }
}

const write = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
