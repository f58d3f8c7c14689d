import { closeSync, openSync, readSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import { parseRequest } from '../../shared/reconcile-request.ts';
import { maxRecording } from '../../shared/recording/recorder.ts';
import {
  type AskLine,
  type DecisionLine,
  type EndLine,
  type Header,
  type ReadLine,
  type RecordedDecision,
  recordingVersion,
  type TotalsLine,
  type TruncatedLine,
  type WriteLine,
} from '../../shared/recording/recording.ts';
import { writePrivateFile } from '../private-file.ts';
import { RecordingError, UnreadableRecordingError } from './errors.ts';
import { anyHeader, lineSchemas, namedLine } from './recording-schema.ts';

export interface RecordingFile {
  readonly header: Header;
  readonly requests: readonly (ReadLine | AskLine | WriteLine)[];
  readonly decisions: RecordedDecision;
}

/** Writes a recording. It counts as incomplete as long as its last line is not `end`. */
export function writeRecording(file: string, lines: readonly string[]): void {
  try {
    writePrivateFile(file, `${lines.join('\n')}\n`);
  } catch (error) {
    throw new RecordingError(
      `the recording cannot be written to ${file}: ${messageOf(error)}; choose another --record FILE`,
    );
  }
}

type Line =
  | Header
  | ReadLine
  | AskLine
  | WriteLine
  | DecisionLine
  | TotalsLine
  | TruncatedLine
  | EndLine;

export const readRecording = (file: string): RecordingFile =>
  parseRecording(file, readContent(file));

/** Throws a RecordingError with file and remedy if the recording is invalid or incomplete. */
export function parseRecording(file: string, content: Uint8Array): RecordingFile {
  const lines = textIn(file, content).replace(/\n$/, '').split('\n');
  const [header, ...others] = lines.map((one, at) => parsedLine(file, one, at + 1));
  if (header?.line !== 'header') throw notRecording(file, 'it does not begin with a header');
  for (const request of header.reconcileRequests.map(parseRequest))
    if (typeof request === 'string') throw damaged(file, 1, request);
  const last = others.at(-1);
  if (last?.line === 'truncated')
    throw new RecordingError(
      `${file}: incomplete, because the run read more than the maximum of ${Math.round(last.limit / 1024 / 1024)} MiB: record less, with --kind or -n`,
    );
  const totals = others.find((one) => one.line === 'totals');
  if (last?.line !== 'end' || last.lines !== lines.length || totals === undefined)
    throw new RecordingError(
      `${file}, line ${lines.length}: the recording ends too early, because the run or a copy was interrupted: record it again, or copy it again`,
    );
  return {
    header,
    requests: others.filter(isRequest),
    decisions: decisionsIn(others.filter(isDecision), totals),
  };
}

/** Parses only the first line. Throws a RecordingError if it is not a header. */
export function parseHeader(file: string, content: Uint8Array): Header {
  const [first = ''] = textIn(file, content).split('\n', 1);
  const header = parsedLine(file, first, 1);
  if (header.line === 'header') return header;
  throw notRecording(file, 'it does not begin with a header');
}

function decisionsIn(
  lines: readonly DecisionLine[],
  { line: _, ...totals }: TotalsLine,
): RecordedDecision {
  const resourcesOf = (name: DecisionLine['line']) =>
    lines.filter(({ line }) => line === name).map(({ resource }) => resource);
  const resources = resourcesOf('decided');
  const others = new Map(resourcesOf('desired').map((one) => [one.uid, one]));
  return {
    decided: { ...totals, resources },
    desired: { ...totals, resources: resources.map((one) => others.get(one.uid) ?? one) },
  };
}

const isRequest = (one: Line): one is ReadLine | AskLine | WriteLine =>
  one.line === 'read' || one.line === 'asked' || one.line === 'write';

const isDecision = (one: Line): one is DecisionLine =>
  one.line === 'decided' || one.line === 'desired';

/** Three bytes for each character of the longest recording. Without a limit, reading a device might never end. */
export const maxBytes = 3 * maxRecording;

function textIn(file: string, content: Uint8Array): string {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return Buffer.from(content).toString('utf8');
  try {
    return gunzipSync(content, { maxOutputLength: maxBytes }).toString('utf8');
  } catch (error) {
    if (isCoded(error) && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(file);
    throw new RecordingError(
      `${file}: the recording cannot be decompressed: ${messageOf(error)}; copy it again`,
    );
  }
}

const isCoded = (error: unknown): error is { readonly code: unknown } =>
  error instanceof Error && 'code' in error;

/** Throws an UnreadableRecordingError if the file cannot be read. */
export function readContent(file: string): Uint8Array {
  try {
    return boundedContentOf(file);
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new UnreadableRecordingError(
      `the recording ${file} cannot be read: ${messageOf(error)}; write one with resync --record FILE`,
    );
  }
}

function boundedContentOf(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let left = maxBytes; left >= 0; ) {
      const chunk = Buffer.allocUnsafe(1024 * 1024);
      const length = readSync(descriptor, chunk);
      if (length === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, length));
      left -= length;
    }
  } finally {
    closeSync(descriptor);
  }
  throw tooLarge(file);
}

const tooLarge = (file: string): RecordingError =>
  new RecordingError(
    `${file}: not a recording: it has more than ${maxBytes / 1024 / 1024} MiB, the maximum; write one with resync --record FILE`,
  );

const notRecording = (file: string, why: string): RecordingError =>
  new RecordingError(
    `${file}, line 1: not a recording: ${why}; write one with resync --record FILE`,
  );

function parsedLine(file: string, one: string, at: number): Line {
  const value = parsed(one);
  if (at === 1) requireOwnFormat(file, value);
  const found = Check(namedLine, value) ? value : undefined;
  const schema =
    found !== undefined && Object.hasOwn(lineSchemas, found.line)
      ? lineSchemas[found.line as keyof typeof lineSchemas]
      : undefined;
  if (isLine(value, schema)) return value;
  const [problem] = schema === undefined ? [] : Errors(schema, value)[1];
  const why =
    value === undefined
      ? 'it is not valid JSON'
      : problem === undefined
        ? 'the type of the line is unknown'
        : `${problem.instancePath} ${problem.message}`.trim();
  throw damaged(file, at, why);
}

const isLine = (value: unknown, schema: TSchema | undefined): value is Line =>
  schema !== undefined && Check(schema, value);

const damaged = (file: string, at: number, why: string): RecordingError =>
  new RecordingError(
    `${file}, line ${at}: the recording is damaged: ${why}; copy it again, or record it again`,
  );

/** Checks only format and version, because the other fields depend on the version. */
function requireOwnFormat(file: string, value: unknown): void {
  if (!Check(anyHeader, value)) throw notRecording(file, 'it does not begin with a header');
  const { version, product } = value as Static<typeof anyHeader> & { readonly product?: unknown };
  if (version === recordingVersion) return;
  const writer =
    typeof product === 'string'
      ? `version ${product} of the package, which wrote it,`
      : 'the package that wrote it,';
  throw new RecordingError(
    `${file} has version ${version} of the format, but this command reads version ${recordingVersion}: replay it with ${writer} or record it again`,
  );
}

function parsed(one: string): unknown {
  try {
    return JSON.parse(one);
  } catch {
    return undefined;
  }
}
