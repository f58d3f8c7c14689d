import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { textAt } from '../../shared/json.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import { decideWhole } from '../../shared/recording/decide-whole.ts';
import { decisionLines } from '../../shared/recording/decision-lines.ts';
import { maxRecording, openRecorder } from '../../shared/recording/recorder.ts';
import {
  type EndLine,
  type Header,
  recordingFormat,
  recordingVersion,
  type TruncatedLine,
} from '../../shared/recording/recording.ts';
import type { Scope } from '../../shared/scope.ts';
import { manifestFile } from '../package-root.ts';
import { probeFor } from './doctor/probe.ts';
import type { Operator } from './operator.ts';
import { previewOptions } from './plan.ts';
import { definitionDigest, settingsOf, writeRecording } from './recording-file.ts';

interface Recorded {
  readonly operator: Operator;
  readonly scope: Scope;
  readonly run: Run;
}

/**
 * Records a run.
 *
 * Flow: write the header, so that a file that cannot be written stops the run before it begins → the run → decide on what
 * was read, as replaying does → write all.
 */
export async function beginRecording(file: string, { operator, scope, run }: Recorded) {
  const header = await headerOf({ operator, scope, run });
  const first = JSON.stringify(header);
  writeRecording(file, [first]);
  const recorder = openRecorder(header.salt);
  const cluster = recorder.through(run.cluster);
  const { rollout } = operator.config;
  return {
    run: { ...run, cluster },
    /** Returns a sentence about the recording. */
    async finish(): Promise<string> {
      const decisions = await decideWhole(recorder, cluster, {
        reading: header,
        options: { ...previewOptions(operator), rollout },
      });
      for (const line of decisions === undefined ? [] : decisionLines(decisions))
        recorder.write(line);
      const lines = [first, ...recorder.lines];
      if (recorder.isTruncated()) {
        const end: TruncatedLine = { line: 'truncated', limit: maxRecording };
        writeRecording(file, [...lines, JSON.stringify(end)]);
        return `warning: ${file} holds only the first ${maxRecording / 1024 / 1024} MiB of what was read, and cannot be replayed: record less, with --kind or -n`;
      }
      const end: EndLine = { line: 'end', lines: lines.length + 1 };
      writeRecording(file, [...lines, JSON.stringify(end)]);
      return `Recorded in ${file}, without values of Secrets`;
    },
  };
}

async function headerOf({ operator, scope, run }: Recorded): Promise<Header> {
  const { config, credentials, environment, reconciler } = operator;
  const { value } = await probeFor(credentials)({ path: '/version' });
  const set = settingsOf(reconciler).flatMap((name) => {
    const text = environment[name]?.trim() ?? '';
    return text === '' ? [] : [[name, text]];
  });
  return {
    line: 'header',
    format: recordingFormat,
    version: recordingVersion,
    product: textAt(JSON.parse(readFileSync(manifestFile, 'utf8')), 'version') ?? 'unknown',
    at: run.now().toISOString(),
    server: textAt(value, 'gitVersion') ?? 'unknown',
    scope,
    identity: config.identity,
    kinds: Object.fromEntries(
      config.kinds.map((kind) => [groupResource(kind), definitionDigest(kind)]),
    ),
    settings: Object.fromEntries(set),
    salt: randomBytes(16).toString('base64url'),
  };
}
