import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type { Bucket, Platform } from '../shared/config/config.ts';
import { parseConfig } from '../shared/config/config.ts';
import type { ReconcilerConfig } from '../shared/config/define-config.ts';
import { type Clusters, createClusters } from '../shared/controller/clusters.ts';
import { nameAmongClusters, type RecordRun } from '../shared/controller/reconciler.ts';
import { ConfigError } from '../shared/environment.ts';
import { textAt } from '../shared/json.ts';
import { createLog } from '../shared/log.ts';
import type { Deployment } from '../shared/recording/recording.ts';
import { drainOnSignal } from './drain.ts';
import { createResponder, type Respond } from './response.ts';
import { telemetryFor } from './telemetry/load.ts';

export interface FunctionContext {
  readonly respond: Respond;
  readonly clusters: Clusters;
  /** Links the log lines and the trace of `act` to the trace in the request's headers. */
  readonly inRequest: <T>(headers: IncomingHttpHeaders, act: () => T) => T;
  readonly platform: Platform;
}

/**
 * Reads the configuration from the environment. If the configuration is invalid, logs the error and exits.
 *
 * Caveats: sets NODE_ENV to `production` if NODE_ENV is unset, before the framework creates its server.
 * Otherwise the framework responds to an error with a stack trace, which shows local paths.
 */
export function contextFromEnvironment(reconciler: ReconcilerConfig): FunctionContext {
  process.env.NODE_ENV ??= 'production';
  const config = configOrExit(reconciler);
  const { platform } = config;
  // In a bundle, the package's version replaces this variable.
  const product = process.env.RECONCILER_VERSION ?? 'unknown';
  const headersOfRequest = new AsyncLocalStorage<IncomingHttpHeaders>();
  const headers = (): IncomingHttpHeaders => headersOfRequest.getStore() ?? {};
  const log = createLog(write, config.logLevel, () => platform.traceFields(headers()));
  const clusters = createClusters(config, log, {
    record: recordInto(platform.bucket, {
      product,
      settings: reconciler.settings,
      environment: process.env,
    }),
    telemetry: telemetryFor(process.env, {
      service: config.identity.name,
      version: product,
      traceparent: () => textAt(headers(), 'traceparent'),
      log,
    }),
  });
  const drain = drainOnSignal(log, () => {
    for (const { stop } of clusters) stop();
  });
  return {
    respond: createResponder(log, drain),
    clusters,
    inRequest: (given, act) => headersOfRequest.run(given, act),
    platform,
  };
}

function configOrExit(reconciler: ReconcilerConfig) {
  try {
    return parseConfig(reconciler, process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // Logs the error instead of throwing it, because alerts count log lines by severity.
    createLog(write, 'ERROR').error('configuration refused', { error: error.message });
    return process.exit(1);
  }
}

/** Undefined without a bucket. The recorder is loaded at the first run. */
function recordInto(
  bucket: Bucket | undefined,
  installation: Pick<Deployment, 'product' | 'settings' | 'environment'>,
): RecordRun | undefined {
  if (bucket === undefined) return undefined;
  let opening: Promise<Recorder> | undefined;
  return async (config, run, requests) => {
    const { kinds, namespaces, concurrency, pruneLimit, rollout } = config;
    try {
      opening ??= open(bucket);
      const record = await opening;
      return record(run, {
        requests,
        cluster: nameAmongClusters(config),
        deployment: { ...installation, server: 'unknown', kinds },
        options: { area: { kinds, namespaces }, concurrency, pruneLimit, rollout },
      });
    } catch (error) {
      run.clients.log.warning('run not recorded', { error: String(error) });
      return undefined;
    }
  };
}

type Recorder = Awaited<ReturnType<typeof open>>;

async function open(bucket: Bucket) {
  const { openBucketRecorder } = await import('../shared/recording/bucket-recorder.ts');
  return openBucketRecorder(bucket);
}

const write = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
