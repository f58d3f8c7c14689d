import { badRequest, unsupportedMediaType } from '../errors/api-errors.ts';
import { depthProblem } from '../json/depth.ts';
import { duplicateFields } from '../json/duplicate-fields.ts';
import { syntaxProblem } from '../json/syntax.ts';
import { type ReadYaml, readYaml, requireReadable, YamlError } from './yaml.ts';

const objectTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** Reads a JSON or YAML body. Throws a 400 that names `kind`, if given, for any other text. */
export function parseObjectBody(body: string, contentType: string, kind = ''): unknown {
  if (contentType === 'application/yaml') return readYamlBody(body, kind).value;
  // A body without a content type is read as JSON.
  if (!['application/json', ''].includes(contentType)) throw unsupportedMediaType(objectTypes);
  const problem = depthProblem(body);
  try {
    if (problem === undefined) return JSON.parse(body);
  } catch {}
  const why = problem ?? syntaxProblem(body);
  throw unrecognized(`couldn't get version/kind; json parse error: ${why}`, body, kind);
}

/** Reads a YAML body, and the paths of its duplicate keys. */
export function readYamlBody(body: string, kind: string): ReadYaml {
  try {
    return readYamlOrJson(body);
  } catch (error) {
    throw error instanceof YamlError ? unrecognized(error.message, body, kind) : error;
  }
}

/** Reads the body of an apply as YAML, whatever its content type. */
export function readApplyBody(body: string): ReadYaml {
  try {
    return readYamlOrJson(body);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

// JSON is YAML, and most bodies are JSON; only duplicate names require the slower parser.
function readYamlOrJson(body: string): ReadYaml {
  if (depthProblem(body) !== undefined) throw new YamlError('yaml: exceeded max depth of 10000');
  requireReadable(body);
  const value = body.trimStart().startsWith('{') ? asJson(folded(body)) : undefined;
  if (value !== undefined && surrogateEscape.test(body))
    throw new YamlError('yaml: found invalid Unicode character escape code');
  if (value !== undefined && longKey.test(body))
    throw new YamlError("yaml: did not find expected ',' or '}'");
  const isPlain = value !== undefined && duplicateFields(body, value).length === 0;
  return isPlain ? { value, duplicates: [] } : readYaml(body);
}

/** Half of a character in an escape, such as `\ud83d`, which JSON allows and YAML does not. */
const surrogateEscape = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/;

/** A key of more than 1,024 characters, with its quotes. */
const longKey = /"(?:[^"\\]|\\.){1023}(?:[^"\\]|\\.)*"\s*:/;

/** Replaces line breaks of YAML that JSON allows in a string, as Go does: blanks around one are lost, and NEL is a space. */
const folded = (json: string): string =>
  json.replaceAll(/(?<![ \t])[ \t]*([\u0085\u2028\u2029])[ \t]*/g, (_, line) =>
    line === '\u0085' ? ' ' : line,
  );

function asJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function unrecognized(why: string, body: string, kind: string) {
  return badRequest(
    kind === ''
      ? why
      : `the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(body)})`,
  );
}

/** Returns the head of a body for a message: as text if it resembles JSON, otherwise in hexadecimal. */
function summary(body: string): string {
  const bytes = Buffer.from(body);
  if (bytes.length === 0) return '<empty>';
  const head = bytes.subarray(0, 30).toString(body.startsWith('{') ? 'utf8' : 'hex');
  return bytes.length > 30 ? `${head} ...` : head;
}
