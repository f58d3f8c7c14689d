import { readFileSync } from 'node:fs';
import { textAt } from '../../../shared/json.ts';
import type { ReconcileRequest } from '../../../shared/reconcile-request.ts';
import { headerOf } from '../../../shared/recording/header.ts';
import { recordRun } from '../../../shared/recording/recorded-run.ts';
import { maxRecording } from '../../../shared/recording/recorder.ts';
import type { Header } from '../../../shared/recording/recording.ts';
import type { Run } from '../../../shared/run/run.ts';
import { previewOptions } from '../../actions/preview-options.ts';
import { manifestFile } from '../../package-root.ts';
import { writeRecording } from '../../recordings/recording-file.ts';
import { probeFor } from '../base/probe.ts';
import type { Session } from '../base/session.ts';

interface Recorded {
  readonly session: Session;
  readonly request: ReconcileRequest;
  readonly run: Run;
}

/**
 * Records a run.
 *
 * Flow: write the header, so that no run begins if the file cannot be written → run → decide on what was read, as
 * a replay does → write everything.
 */
export async function beginRecording(file: string, recorded: Recorded) {
  const { session } = recorded;
  const header = await headerFor(recorded);
  writeRecording(file, [JSON.stringify(header)]);
  const { rollout } = session.config;
  const { run, finish } = recordRun(recorded.run, header, {
    options: { ...previewOptions(session.config), rollout },
  });
  return {
    run,
    /** Returns a sentence about the recording. */
    async finish(): Promise<string> {
      const { lines, isTruncated } = await finish();
      writeRecording(file, lines);
      return isTruncated
        ? `warning: ${file} holds only the first ${maxRecording / 1024 / 1024} MiB of what was read, and cannot be replayed: record less, with --kind or -n`
        : `Recorded in ${file}, without values of Secrets`;
    },
  };
}

async function headerFor({ session, request, run }: Recorded): Promise<Header> {
  const { config, credentials, environment, reconciler } = session;
  const { value } = await probeFor(credentials)({ path: '/version' });
  const deployment = {
    product: textAt(JSON.parse(readFileSync(manifestFile, 'utf8')), 'version') ?? 'unknown',
    server: textAt(value, 'gitVersion') ?? 'unknown',
    kinds: config.kinds,
    settings: reconciler.settings,
    environment,
  };
  return headerOf(run, { requests: [request], deployment });
}
