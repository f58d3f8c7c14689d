import { badPatch, internal, invalidObject, unnamed } from '../errors/api-errors.ts';
import { invalid } from '../errors/field-error.ts';
import { jsonText } from '../json/text.ts';
import { isObject, textAt } from '../json/value.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Writer } from '../requests/write-options.ts';
import { groupVersionOf, type Served } from '../resources/resource.ts';

interface Expected {
  readonly served: Served;
  readonly keepsType: boolean;
  readonly writer: Writer;
  readonly name: string;
}

/** Refuses an object whose type was changed by a patch. Fills in the type if the object may omit it. */
export function assertPatchedType(patched: KubeObject, expected: Expected): void {
  if (!isObject(patched)) throw badPatch(patched, 'json: cannot unmarshal into an object');
  const { served, keepsType } = expected;
  for (const field of ['apiVersion', 'kind']) {
    const value = patched[field] ?? '';
    if (typeof value === 'string') continue;
    throw badPatch(
      patched,
      `json: cannot unmarshal ${typeof value} into Go struct field .${field}`,
    );
  }
  if (served.resource.custom) assertCustom(patched, served);
  else if (!keepsType) assertBuiltIn(patched, expected);
  patched.apiVersion = groupVersionOf(served);
  patched.kind = served.resource.kind;
}

function assertCustom(patched: KubeObject, served: Served): void {
  const [apiVersion, kind] = [textAt(patched, 'apiVersion'), textAt(patched, 'kind')];
  const wanted = groupVersionOf(served);
  if (kind === '') {
    throw badPatch(patched, `Object 'Kind' is missing in '${jsonText(patched)}'`);
  }
  if (apiVersion === '') {
    throw internal("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  }
  const subject = { group: groupOf(apiVersion), kind, name: textAt(patched.metadata, 'name') };
  const errors = [
    ...(apiVersion === wanted ? [] : [invalid('apiVersion', apiVersion, `must be ${wanted}`)]),
    ...(kind === served.resource.kind
      ? []
      : [invalid('kind', kind, `must be ${served.resource.kind}`)]),
  ];
  if (errors.length > 0) throw invalidObject(subject, errors);
}

function groupOf(apiVersion: string): string {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? '' : group;
}

function assertBuiltIn(patched: KubeObject, { served, writer, name }: Expected): void {
  const [apiVersion, kind] = [textAt(patched, 'apiVersion'), textAt(patched, 'kind')];
  if (apiVersion === '') throw unversioned(patched, { writer, name });
  if (apiVersion.split('/').length > 2) {
    throw badPatch(patched, `unexpected GroupVersion string: ${apiVersion}`);
  }
  const isKind = kind === '' || kind === served.resource.kind;
  if (apiVersion === groupVersionOf(served) && isKind) return;
  throw badPatch(
    patched,
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** Without a version the server decodes into its internal type, which has none of these fields. */
function unversioned(
  patched: KubeObject,
  { writer, name }: { readonly writer: Writer; readonly name: string },
): Error {
  const problems = Object.keys(patched)
    .filter((field) => field !== 'apiVersion' && field !== 'kind')
    .sort()
    .map((field) => `unknown field ${JSON.stringify(field)}`);
  if (writer.fieldValidation === 'Strict') {
    return badPatch(patched, `strict decoding error: ${problems.join(', ')}`);
  }
  if (writer.fieldValidation === 'Warn') for (const problem of problems) writer.warn(problem);
  return unnamed(name);
}
