/** Checks arguments at run time, because tests may be written in JavaScript. Each Error names the argument. */

import { didYouMean } from '../infra/similar.ts';
import { isFields, textAt } from '../shared/json.ts';
import { quote } from '../shared/printable.ts';

/** Throws an Error that names the argument or field. */
export function requireThat(
  is: boolean,
  [name, value]: readonly [string, unknown],
  want: string,
): void {
  if (!is) throw new Error(`${name} is ${quote(value)}; it must be ${want}`);
}

export function requireType(type: unknown): void {
  const isType = ['version', 'kind', 'plural'].every((field) => textAt(type, field) !== undefined);
  requireThat(isType, ['type', type], 'a child type such as configMap, or a kind');
}

export const requireName = (name: unknown): void =>
  requireThat(typeof name === 'string' && name !== '', ['name', name], 'a string');

/** Refuses a namespace passed as a string, because it would be ignored. */
export function requirePlace(where: unknown): void {
  const namespace = isFields(where) ? where.namespace : where;
  const is = isFields(where) && ['undefined', 'string'].includes(typeof namespace);
  requireThat(is, ['where', where], "an object such as { namespace: 'team-a' }");
}

export function requireManifest(name: string, manifest: unknown): void {
  const is =
    textAt(manifest, 'apiVersion') !== undefined &&
    textAt(manifest, 'kind') !== undefined &&
    textAt(manifest, 'metadata', 'name') !== undefined;
  requireThat(is, [name, manifest], 'a manifest with apiVersion, kind and metadata.name');
}

export function requireResource(resource: unknown): void {
  requireThat(
    textAt(resource, 'name') !== undefined,
    ['resource', resource],
    '{ name, spec }, where name is a string',
  );
}

export function requireOptions(options: unknown, known: readonly string[]): void {
  requireThat(isFields(options), ['options', options], `an object of ${known.join(', ')}`);
  for (const name of Object.keys(options as object))
    if (!known.includes(name))
      throw new Error(`there is no option ${name}${didYouMean(name, known)}`);
}

export function requireEnvironment(environment: unknown): void {
  const is =
    isFields(environment) &&
    Object.values(environment).every((one) => ['string', 'undefined'].includes(typeof one));
  requireThat(
    is,
    ['environment', environment],
    "an object of strings such as { PRUNE_LIMIT: '5' }",
  );
}
