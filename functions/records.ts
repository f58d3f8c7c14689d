import type { Bucket } from '../shared/config/platform.ts';
import type { OpenRecords } from '../shared/controller/clusters.ts';
import type { Deployment } from '../shared/recording/header.ts';

/** How runs are recorded; undefined without a bucket. What records them is loaded at the first run. */
export function recordsFor(
  bucket: Bucket | undefined,
  installation: Pick<Deployment, 'product' | 'settings' | 'environment'>,
): OpenRecords | undefined {
  if (bucket === undefined) return undefined;
  let opening: Promise<Recorder> | undefined;
  return (config, log, cluster) => async (run, scopes) => {
    const { identity, kinds, namespaces } = config;
    const { concurrency, pruneLimit, rollout } = config;
    try {
      opening ??= open(bucket);
      const record = await opening;
      return record(run, {
        ...{ scopes, cluster, log },
        deployment: { ...installation, server: 'unknown', identity, kinds },
        options: { area: { kinds, namespaces }, concurrency, pruneLimit, rollout },
      });
    } catch (error) {
      log.warning('run not recorded', { error: String(error) });
      return undefined;
    }
  };
}

type Recorder = Awaited<ReturnType<typeof open>>;

async function open(bucket: Bucket) {
  const { openBucketRecorder } = await import('../shared/recording/bucket-recorder.ts');
  return openBucketRecorder(bucket);
}
